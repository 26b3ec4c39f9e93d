import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import pino, { type Logger } from 'pino';
import { Registry } from 'prom-client';
import {
  Arg,
  Ctx,
  Directive,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { type GatewayOptions, type RunningGateway, startGateway } from '../../gateway/gateway';
import { RegisterError } from '../../schema/register-error';
import type { Role } from '../../schema/roles';
import { AccessKey, DateTime, Duid, Mpxn } from '../../schema/scalars';
import { type TokenVerifier, requireCurrent } from '../../subgraphs/server/callers/bearer-token';
import { type CallContext, MayCall } from '../../subgraphs/server/callers/caller';
import { type SubgraphLink, localLink } from '../../subgraphs/server/graph/subgraph-link';
import { buildFederatedSchema } from '../../subgraphs/server/graph/subgraph-schema';

const hex = (digit: string) => digit.repeat(24);

/** Keys of the records below. Each Identity Record shows one outcome of resolving a reference. */
export const KEYS = {
  own: `ak_${hex('1')}`,
  foreign: `ak_${hex('2')}`,
  anonymised: `ak_${hex('3')}`,
  broken: `ak_${hex('4')}`,
  unlinked: `ak_${hex('5')}`,
  unknown: `ak_${hex('9')}`,
} as const;

const RECORDS = Object.entries(KEYS)
  .filter(([name]) => name !== 'unknown')
  .map(([name, key], index) => ({
    id: `rec_${name}`,
    key,
    purpose: `purpose of ${name}`,
    state: 'ACTIVE',
    duid: `duid_${hex(index % 2 === 0 ? 'a' : 'b')}`,
    holder: name === 'unlinked' ? null : `idn_${name}`,
  }));

type RecordRow = (typeof RECORDS)[number];

@ObjectType()
class Processing {
  @Field(() => String) purpose: string;
  @Field(() => [String]) dataTypes: string[];
}

@Directive('@key(fields: "duid")')
@ObjectType('DataUser')
class DataUser {
  @Field(() => Duid) duid: string;
  @Field(() => String) displayName: string;
}

@Directive('@key(fields: "id", resolvable: false)')
@ObjectType('IdentityRecord')
class LinkedIdentityRecord {
  @Field(() => ID) id: string;
}

@Directive('@key(fields: "id")')
@ObjectType('AccessRecord')
class AccessRecord {
  @Field(() => ID) id: string;
  @Field(() => String) state: string;
  @Field(() => Processing) processing: Processing;
  @Field(() => DataUser, { nullable: true }) dataUser: DataUser | null;
  @Field(() => LinkedIdentityRecord, { nullable: true }) identityRecord: LinkedIdentityRecord | null;
}

@ObjectType()
class AccessRecordConnection {
  @Field(() => [AccessRecord]) nodes: AccessRecord[];
  @Field(() => Int) totalCount: number;
}

@Directive('@key(fields: "id")')
@ObjectType('MeterPoint')
class MeterPointWithRecords {
  @Field(() => ID) id: string;
}

@Directive('@inaccessible')
@InputType()
class AccountTokenInput {
  @Field(() => String, { nullable: true }) series?: string | null;
  @Field(() => DateTime) validFrom: Date;
  @Field(() => DateTime) expiresAt: Date;
}

@Directive('@inaccessible')
@ObjectType('Admission')
class Admission {
  @Field(() => Boolean) allowed: boolean;
  @Field(() => Int, { nullable: true }) retryAfter: number | null;
  @Field(() => String) role: string;
  @Field(() => String, { nullable: true }) duid: string | null;
  @Field(() => String, { nullable: true }) mpid: string | null;
}

@InputType()
class ControllerInput {
  @Field(() => String) name: string;
  @Field(() => DateTime, { nullable: true }) since?: Date | null;
}

@InputType()
class RecordInput {
  @Field(() => String) purpose: string;
  @Field(() => [ControllerInput]) controllers: ControllerInput[];
  @Field(() => Boolean, { nullable: true, defaultValue: true }) areCounted?: boolean | null;
}

@ObjectType()
class Registration {
  @Field(() => AccessRecord, { nullable: true }) record: AccessRecord | null;
  @Field(() => Int) controllerCount: number;
}

const dataUserOf = (duid: string): DataUser => ({ duid, displayName: `Organisation ${duid.at(-1)}` });

const recordOf = (row: RecordRow): AccessRecord => ({
  id: row.id,
  state: row.state,
  processing: { purpose: row.purpose, dataTypes: ['HH', 'TARIFF'] },
  dataUser: dataUserOf(row.duid),
  identityRecord: row.holder === null ? null : { id: row.holder },
});

const pageOf = (first: number): AccessRecordConnection => ({
  nodes: RECORDS.slice(0, first).map(recordOf),
  totalCount: RECORDS.length,
});

@Resolver(() => AccessRecord)
class AccessResolver {
  @MayCall('anyone')
  @Query(() => AccessRecord, { nullable: true })
  accessRecord(@Arg('key', () => AccessKey) key: string): AccessRecord | null {
    const row = RECORDS.find((each) => each.key === key);
    return row ? recordOf(row) : null;
  }

  @MayCall('data_user', 'admin')
  @Query(() => AccessRecordConnection)
  accessRecords(@Arg('first', () => Int, { defaultValue: 200 }) first: number): AccessRecordConnection {
    return pageOf(first);
  }

  @MayCall('data_user', 'admin', 'analyst')
  @Query(() => DataUser, { nullable: true })
  dataUser(@Arg('duid', () => Duid) duid: string): DataUser {
    return dataUserOf(duid);
  }

  @MayCall('data_user')
  @Mutation(() => Registration)
  registerAccessRecord(@Arg('input', () => RecordInput) input: RecordInput): Registration {
    if (input.purpose === 'refused') {
      const violation = { code: 'VAL007', path: ['purpose'], message: 'is refused' } as const;
      throw new RegisterError('VAL007', 'refused', { violations: [violation] });
    }
    return {
      record: recordOf(RECORDS[0] as RecordRow),
      controllerCount: input.areCounted === true ? input.controllers.length : 0,
    };
  }

  @Directive('@inaccessible')
  @MayCall('service:gateway')
  @Query(() => Admission, { nullable: true })
  admission(
    @Arg('accountId', () => String) accountId: string,
    @Arg('token', () => AccountTokenInput) token: AccountTokenInput,
    @Arg('isCounted', () => Boolean) _isCounted: boolean,
  ): Admission | null {
    const [, role, state] = accountId.split(':');
    if (role === undefined) return null;
    if (state === 'suspended') throw new RegisterError('AUT001');
    requireCurrent(token, Date.now());
    return {
      allowed: state !== 'limited',
      retryAfter: state === 'limited' ? 7 : null,
      role,
      duid: role === 'data_user' ? `duid_${hex('a')}` : null,
      mpid: null,
    };
  }
}

@Resolver(() => MeterPointWithRecords)
class MeterPointResolver {
  @FieldResolver(() => AccessRecordConnection)
  accessRecords(@Root() _: MeterPointWithRecords, @Arg('first', () => Int, { defaultValue: 200 }) first: number) {
    return pageOf(first);
  }
}

@ObjectType()
class Address {
  @Field(() => String) postcode: string;
}

@Directive('@key(fields: "id")')
@ObjectType('IdentityRecord')
class IdentityRecord {
  @Field(() => ID) id: string;
  @Field(() => Boolean) hasEmail: boolean;
  @Field(() => Address, { nullable: true }) address: Address | null;
}

@Directive('@key(fields: "id")')
@ObjectType('MeterPoint')
class MeterPoint {
  @Field(() => ID) id: string;
  @Field(() => String) kind: string;
}

@Resolver(() => IdentityRecord)
class IdentityResolver {
  @MayCall('data_user')
  @Query(() => MeterPoint)
  meterPoint(@Arg('mpxn', () => Mpxn) mpxn: string): MeterPoint {
    return { id: `mp_${mpxn.length}`, kind: 'import' };
  }

  @MayCall('data_user')
  @Query(() => IdentityRecord, { nullable: true })
  ownIdentityRecord(@Ctx() context: CallContext): IdentityRecord {
    return identityRecordOf(`idn_${context.caller?.role ?? ''}`);
  }
}

const identityRecordOf = (id: string): IdentityRecord => ({ id, hasEmail: true, address: { postcode: 'SW1A 1AA' } });

async function identityReference({ id }: { id: string }): Promise<IdentityRecord | null> {
  if (id === 'idn_foreign') throw new RegisterError('PRM002');
  if (id === 'idn_broken') throw new TypeError('the value ak_secret is broken');
  return id === 'idn_anonymised' ? null : identityRecordOf(id);
}

async function composedSubgraphs() {
  const access = await buildFederatedSchema({
    resolvers: [AccessResolver, MeterPointResolver],
    orphanedTypes: [MeterPointWithRecords],
    references: {
      AccessRecord: ({ id }: { id: string }) => recordOf(RECORDS.find((row) => row.id === id) as RecordRow),
      DataUser: ({ duid }: { duid: string }) => dataUserOf(duid),
      MeterPoint: (reference: { id: string }) => reference,
    },
  });
  const identity = await buildFederatedSchema({
    resolvers: [IdentityResolver],
    references: { IdentityRecord: identityReference, MeterPoint: ({ id }: { id: string }) => ({ id, kind: 'import' }) },
  });
  const composed = composeServices(
    Object.entries({ access, identity }).map(([name, { sdl }]) => ({
      name,
      url: `http://${name}.internal`,
      typeDefs: parse(sdl),
    })),
  );
  if (!composed.supergraphSdl) throw new Error(String(composed.errors));
  return { access, identity, supergraphSdl: composed.supergraphSdl };
}

let composedOnce: ReturnType<typeof composedSubgraphs> | undefined;

/** Two test subgraphs, built like the real ones and composed once per test file. */
export async function twoSubgraphs(logger: Logger) {
  const { access, identity, supergraphSdl } = await (composedOnce ??= composedSubgraphs());
  return {
    supergraphSdl,
    audiences: { ...access.audiences, ...identity.audiences },
    links: [localLink('access', access.schema, logger), localLink('identity', identity.schema, logger)],
  };
}

const HOUR = 3_600_000;

/** Test tokens: `<role>`, `<role>:suspended`, `<role>:limited`, `<role>:expired`; any other text is invalid. */
export const roleTokens: TokenVerifier = {
  verify(token) {
    const [role, state] = token.split(':');
    if (!['data_user', 'admin', 'portal'].includes(role ?? '')) return Promise.reject(new RegisterError('AUT001'));
    const expiresAt = new Date(Date.now() + (state === 'expired' ? -HOUR : HOUR));
    return Promise.resolve({
      accountId: `acc:${token}`,
      role: role as Role,
      duid: null,
      mpid: null,
      validFrom: new Date(Date.now() - 2 * HOUR),
      expiresAt,
      series: null,
    } as never);
  },
};

/** Records the requests that are sent over a link. */
export function counted(
  link: SubgraphLink,
): SubgraphLink & { readonly sent: { query: string; variables?: unknown }[] } {
  const sent: { query: string; variables?: unknown }[] = [];
  return {
    name: link.name,
    sent,
    execute(request, context) {
      sent.push({ query: request.query, variables: request.variables });
      return link.execute(request, context);
    },
  };
}

/** A subgraph that is unreachable. */
export function unreachable(name: string): SubgraphLink {
  return { name, execute: () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })) };
}

/** The schema for clients that the gateway of a test serves. */
export const CLIENT_SDL = 'type Query {\n  accessRecord(key: String!): String\n}\n';

/** Starts a gateway over the two subgraphs; `lines` collects its log. */
export async function startTestGateway(
  documents: Readonly<Record<string, string>>,
  changes: Partial<GatewayOptions> = {},
): Promise<RunningGateway & { readonly lines: string[] }> {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const graph = await twoSubgraphs(logger);
  const gateway = await startGateway({
    ...graph,
    clientSdl: CLIENT_SDL,
    trustedDocuments: documents,
    verifier: roleTokens,
    ready: () => Promise.resolve(true),
    settings: { port: 0, production: false, trustProxy: false },
    logger,
    metrics: new Registry(),
    landing: { explorer: true },
    ...changes,
  });
  return { ...gateway, lines };
}
