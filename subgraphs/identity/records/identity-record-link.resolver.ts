import { Arg, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { Duid, IdentityRecordKey, Mpxn } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import type { IdentityRecordRepository } from './identity-record.repository';
import type * as domain from './identity-record';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { nullable, simple } from '../../server/graph/decorator-options';
import { errorFields } from '../../server/observability/failures';
import type { LinkedRecord } from '../legacy/provisional-record.repository';
import type { IdentityRecord } from './identity-record';

const MAX_LINKS = 500;

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('IdentityRecordLink', simple('Fields of an Identity Record that `access` needs to link a record to it.'))
class IdentityRecordLink implements domain.IdentityRecordLink {
  @Field(() => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string;
  @Field(() => ID, { description: 'Internal identifier of the Identity Record.' }) id: string;
  @Field(() => Duid, { description: 'The Data User that created it.' }) duid: string;
  @Field(() => ID, nullable('Opaque id of its meter point; null once anonymised.')) meterPointId: string | null;
  @Field(() => Boolean, { description: 'Whether it was anonymised.' }) anonymised: boolean;
  @Field(() => Boolean, { description: 'Whether it is closing or was anonymised.' }) closing: boolean;
}

/** Queries of other services for Identity Records. */
@Resolver()
export class IdentityRecordLinkResolver {
  constructor(private readonly records: IdentityRecordRepository) {}

  @MayCall('service:access')
  @Directive('@inaccessible')
  @Query(() => [IdentityRecordLink], {
    nullable: 'items',
    description: 'Internal: Identity Records by key, in the order of the argument; null for unknown keys.',
  })
  async identityRecordLinks(
    @Arg('refs', () => [IdentityRecordKey], { description: 'Keys of Identity Records, at most 500.' }) refs: string[],
  ): Promise<(domain.IdentityRecordLink | null)[]> {
    if (refs.length > MAX_LINKS) throw new RegisterError('VAL003', `refs must have at most ${MAX_LINKS} entries`);
    return Promise.all(refs.map(async (ref) => (await this.records.link(ref)) ?? null));
  }
}

const MAX_RECORDS = 500;
/** Records whose failed decryption was logged; each is logged once. */
const LOGGED_CACHE_SIZE = 10_000;

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('IdentityRecordMpxn', simple('Internal: the MPxN of an Identity Record.'))
class IdentityRecordMpxn {
  @Field(
    () => Mpxn,
    nullable('The MPxN; null after anonymising, for unknown ids, and if the record cannot be decrypted.'),
  )
  mpxn: string | null;
  @Field(() => Boolean, { description: 'False if the record exists, is not anonymised, and cannot be decrypted.' })
  canBeOpened: boolean;
}

/** Query of `access` for the MPxNs in notices to the Data User of a record (decisions A/B, 6). */
@Resolver()
export class IdentityRecordMpxnResolver {
  private readonly logged = new LRUCache<string, true>({ max: LOGGED_CACHE_SIZE });

  constructor(
    private readonly linkedRecord: LinkedRecord,
    private readonly logger: Logger,
  ) {}

  @MayCall('service:access')
  @Directive('@inaccessible')
  @Query(() => [IdentityRecordMpxn], {
    description:
      'Internal: MPxNs by internal ids, in the order of the argument. A record that cannot be decrypted does not affect the others.',
  })
  async identityRecordMpxns(
    @Arg('ids', () => [ID], { description: 'Internal identifiers of Identity Records, at most 500.' }) ids: string[],
  ): Promise<IdentityRecordMpxn[]> {
    if (ids.length > MAX_RECORDS) throw new RegisterError('VAL003', `ids must have at most ${MAX_RECORDS} entries`);
    const records = await Promise.all(ids.map((id) => this.linkedRecord(id)));
    return records.map((record) => this.mpxnOf(record));
  }

  private mpxnOf(record: IdentityRecord | null): IdentityRecordMpxn {
    if (record === null) return { mpxn: null, canBeOpened: true };
    try {
      return { mpxn: record.personal()?.piiPrincipal.mpxn ?? null, canBeOpened: true };
    } catch (error) {
      if (!this.logged.has(record.id))
        this.logger.error(
          { identityRecord: record.id, failure: errorFields(error) },
          'identity record cannot be decrypted',
        );
      this.logged.set(record.id, true);
      return { mpxn: null, canBeOpened: false };
    }
  }
}
