import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import pino from 'pino';
import { Registry } from 'prom-client';
import {
  Arg,
  Ctx,
  Directive,
  Field,
  FieldResolver,
  Float,
  ID,
  InputType,
  Int,
  ObjectType,
  Query,
  Resolver,
  Subscription,
  registerEnumType,
} from 'type-graphql';
import { type RunningGateway, startGateway } from '../../../gateway/gateway';
import { RegisterError } from '../../../schema/register-error';
import type { Role } from '../../../schema/roles';
import { DateTime, Duid, EventId } from '../../../schema/scalars';
import { type TokenVerifier, requireCurrent } from '../../../subgraphs/server/callers/bearer-token';
import { type CallContext, type Caller, MayCall } from '../../../subgraphs/server/callers/caller';
import { JsonText } from '../../../subgraphs/server/graph/json-text';
import { localLink } from '../../../subgraphs/server/graph/subgraph-link';
import { buildFederatedSchema } from '../../../subgraphs/server/graph/subgraph-schema';

const HOUR = 3_600_000;
/** The Data User of every account with that role, and the owner of all their events. */
const DUID = `duid_${'a'.repeat(24)}`;
const duidOf = (accountId: string) => (accountId.startsWith('data_user:') ? DUID : null);

/** State of the test subgraph; tests change it. */
export class EventFixture {
  readonly ids: string[] = [];
  /** Ids of executed events, in order. */
  readonly executed: string[] = [];
  /** Account for which each event was executed, in the same order. */
  readonly executedFor: string[] = [];
  /** Delays the result of an event for an account. */
  hold: (accountId: string) => Promise<void> | undefined = () => undefined;
  /** Delays the results of the gateway's reads of the event log after a cursor. */
  holdLog: (after: string | null) => Promise<void> | undefined = () => undefined;
  readonly inactive = new Set<string>();
  readonly rejected = new Set<string>();
  readonly gone = new Set<string>();
  /** Requests for events, or for their meter points, while the subgraph was unavailable. */
  rejections = 0;
  /** Milliseconds by which the register's clock is ahead. */
  ahead = 0;
  /** `eventsUnavailable`: queries for single events fail. `logUnavailable`: the gateway's own queries fail. */
  eventsUnavailable = false;
  logUnavailable = false;
  /** Queries of the second subgraph for the meter points of events fail. */
  meterPointsUnavailable = false;
  /** Length of an event's text. */
  size = 10;

  add(count = 1): void {
    for (let each = 0; each < count; each += 1) this.ids.push(`evt_${String(this.ids.length).padStart(24, '0')}`);
  }

  now(): Date {
    return new Date(Date.now() + this.ahead);
  }
}

let fixture: EventFixture;

@Directive('@key(fields: "id")')
@ObjectType('MeterPoint')
class MeterPointOfEvent {
  @Field(() => ID) id: string;
}

@ObjectType()
class Price {
  @Field(() => Float) price: number;
}

@ObjectType()
class RegisterEvent {
  @Field(() => EventId) id: string;
  @Field(() => String) cursor: string;
  @Field(() => String) text: string;
  @Field(() => MeterPointOfEvent) meterPoint: MeterPointOfEvent;
  @Field(() => [Price]) prices: JsonText;
}

/** Prices as the subgraph writes them: `JSON.stringify` would write them otherwise. */
export const WRITTEN_PRICES = '[ {"price":0.10}, {"price":0.20} ]';

@Directive('@inaccessible')
@ObjectType()
class EventLogEntry {
  @Field(() => EventId) id: string;
  @Field(() => String) cursor: string;
  @Field(() => String) type: string;
  @Field(() => String, { nullable: true }) duid: string | null;
}

@Directive('@inaccessible')
@ObjectType()
class EventLogPage {
  @Field(() => String) cursor: string;
  @Field(() => [EventLogEntry]) entries: EventLogEntry[];
}

@Directive('@inaccessible')
@ObjectType()
class AccountStanding {
  @Field(() => String) accountId: string;
  @Field(() => Boolean) active: boolean;
  @Field(() => String) role: string;
  @Field(() => String, { nullable: true }) duid: string | null;
  @Field(() => String, { nullable: true }) tokenSeries: string | null;
  @Field(() => DateTime) now: Date;
}

@Directive('@inaccessible')
@InputType()
class AccountTokenInput {
  @Field(() => String, { nullable: true }) series?: string | null;
  @Field(() => DateTime) validFrom: Date;
  @Field(() => DateTime) expiresAt: Date;
}

@Directive('@inaccessible')
@ObjectType()
class Admission {
  @Field(() => Boolean) allowed: boolean;
  @Field(() => Int, { nullable: true }) retryAfter: number | null;
  @Field(() => String) role: string;
  @Field(() => String, { nullable: true }) duid: string | null;
  @Field(() => String, { nullable: true }) mpid: string | null;
}

const away = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

/** Type of all events. */
const OnlyType = { ACCESS_REGISTERED: 'ACCESS_REGISTERED' };
registerEnumType(OnlyType, { name: 'RegisterEventType' });

@Resolver()
class EventResolver {
  @MayCall('admin', 'data_user')
  @Query(() => RegisterEvent, { nullable: true })
  async registerEvent(
    @Arg('id', () => EventId) id: string,
    @Ctx() { caller }: CallContext,
  ): Promise<RegisterEvent | null> {
    if (fixture.eventsUnavailable) {
      fixture.rejections += 1;
      throw away();
    }
    const accountId = (caller as Caller).accountId;
    fixture.executed.push(id);
    fixture.executedFor.push(accountId);
    await fixture.hold(accountId);
    if (fixture.rejected.has(id)) throw new RegisterError('PRM002');
    if (fixture.gone.has(id)) return null;
    return {
      id,
      cursor: String(fixture.ids.indexOf(id)),
      text: 'x'.repeat(fixture.size),
      meterPoint: { id },
      prices: new JsonText(Buffer.from(WRITTEN_PRICES)),
    };
  }

  @MayCall('admin', 'data_user')
  @Subscription(() => RegisterEvent, { subscribe: () => [] as never })
  registerEvents(@Arg('after', () => String, { nullable: true }) after: string | null): RegisterEvent {
    throw new Error(`the gateway must not subscribe at the subgraph, after ${after}`);
  }

  @Directive('@inaccessible')
  @MayCall('service:gateway')
  @Query(() => EventLogPage)
  async eventLog(
    @Arg('after', () => String, { nullable: true }) after: string | null,
    @Arg('first', () => Int) first: number,
    @Arg('duid', () => Duid, { nullable: true }) _duid: string | null,
    @Arg('types', () => [OnlyType], { nullable: true }) _types: string[] | null,
  ): Promise<EventLogPage> {
    await fixture.holdLog(after);
    if (fixture.logUnavailable) throw away();
    if (after === null) return { cursor: String(fixture.ids.length - 1), entries: [] };
    const from = after === '' ? 0 : Number(after) + 1;
    const found = fixture.ids.slice(from, from + first);
    const entries = found.map((id, index) => ({
      id,
      cursor: String(from + index),
      type: 'ACCESS_REGISTERED',
      duid: DUID,
    }));
    return { cursor: entries.at(-1)?.cursor ?? after, entries };
  }

  @Directive('@inaccessible')
  @MayCall('service:gateway')
  @Query(() => [AccountStanding])
  accountStandings(@Arg('accountIds', () => [String]) accountIds: string[]): AccountStanding[] {
    return accountIds.map((accountId) => ({
      accountId,
      active: !fixture.inactive.has(accountId),
      role: accountId.split(':')[0] as string,
      duid: duidOf(accountId),
      tokenSeries: null,
      now: fixture.now(),
    }));
  }

  @Directive('@inaccessible')
  @MayCall('service:gateway')
  @Query(() => Admission, { nullable: true })
  admission(
    @Arg('accountId', () => String) accountId: string,
    @Arg('token', () => AccountTokenInput) token: AccountTokenInput,
    @Arg('isCounted', () => Boolean) _isCounted: boolean,
  ): Admission {
    if (fixture.inactive.has(accountId)) throw new RegisterError('AUT001');
    requireCurrent(token, fixture.now().getTime());
    return {
      allowed: true,
      retryAfter: null,
      role: accountId.split(':')[0] as string,
      duid: duidOf(accountId),
      mpid: null,
    };
  }
}

@Resolver(() => RegisterEvent)
class PricesResolver {
  @MayCall('admin', 'data_user')
  @FieldResolver(() => Int)
  priceCount(@Arg('first', () => Int, { nullable: true }) first: number | null): number {
    return first ?? 2;
  }
}

@Directive('@key(fields: "id")')
@ObjectType()
class MeterPoint {
  @Field(() => ID) id: string;
  @Field(() => String, { nullable: true }) kind: string | null;
}

async function meterPointReference({ id }: { id: string }): Promise<MeterPoint> {
  if (fixture.meterPointsUnavailable) {
    fixture.rejections += 1;
    throw away();
  }
  return { id, kind: 'import' };
}

@ObjectType()
class Origin {
  @Field(() => ID) clientAddress: string;
}

@Resolver()
class OriginResolver {
  @MayCall('anyone')
  @Query(() => Origin)
  origin(@Ctx() { clientAddress }: CallContext): Origin {
    return { clientAddress };
  }
}

/** Tokens are account ids, `<role>:<name>`, and expire in an hour. */
const accountTokens: TokenVerifier = {
  verify: (token) =>
    Promise.resolve({
      accountId: token,
      role: token.split(':')[0] as Role,
      duid: null,
      mpid: null,
      validFrom: new Date(Date.now() - HOUR),
      expiresAt: new Date(Date.now() + HOUR),
      series: null,
    } as never),
};

/** Starts a gateway over an event log that the test writes. */
export async function startEventGateway(
  settings: { readonly trustProxy?: boolean } = {},
): Promise<RunningGateway & { readonly fixture: EventFixture; readonly registry: Registry }> {
  fixture = new EventFixture();
  const logger = pino({ level: 'silent' });
  const access = await buildFederatedSchema({ resolvers: [EventResolver, PricesResolver], references: {} });
  const identity = await buildFederatedSchema({
    resolvers: [OriginResolver],
    orphanedTypes: [MeterPoint],
    references: { MeterPoint: meterPointReference },
  });
  const { supergraphSdl } = composeServices(
    Object.entries({ access, identity }).map(([name, { sdl }]) => ({
      name,
      url: `http://${name}.internal`,
      typeDefs: parse(sdl),
    })),
  );
  const registry = new Registry();
  const gateway = await startGateway({
    supergraphSdl: supergraphSdl as string,
    audiences: { ...access.audiences, ...identity.audiences },
    clientSdl: 'type Query { registerEvents: [String!]! }',
    trustedDocuments: {},
    links: [
      localLink('access', access.schema, logger, undefined, ['RegisterEvent.prices']),
      localLink('identity', identity.schema, logger),
    ],
    ready: () => Promise.resolve(true),
    verifier: accountTokens,
    settings: { port: 0, production: false, trustProxy: settings.trustProxy ?? false },
    logger,
    metrics: registry,
    landing: { explorer: true },
  });
  return { ...gateway, fixture, registry };
}
