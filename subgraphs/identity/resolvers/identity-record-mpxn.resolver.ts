import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Arg, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { Mpxn } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import { failureFacts } from '../../server/failures';
import type { LinkedRecord } from '../database/linked-record';
import type { IdentityRecord } from '../domain/identity-record';

const MOST_RECORDS = 500;
/** Records of which the log was told that they cannot be opened. */
const REMEMBERED = 10_000;

/** IdentityRecordMpxn of the graph: seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('IdentityRecordMpxn', {
  description: 'Internal: the MPxN of an Identity Record, as far as it is known.',
  simpleResolvers: true,
})
export class IdentityRecordMpxn {
  @Field(() => Mpxn, {
    nullable: true,
    description: 'The MPxN; null once anonymised, for unknown ids, and for what cannot be opened.',
  })
  mpxn: string | null;
  @Field(() => Boolean, { description: 'False when the record is there, is not anonymised, and cannot be opened.' })
  canBeOpened: boolean;
}

/** The MPxNs that `access` puts into the notices to a Data User of its own records (2-decisions-a-b.md, section 6). */
@Resolver()
export class IdentityRecordMpxnResolver {
  private readonly told = new LRUCache<string, true>({ max: REMEMBERED });

  constructor(
    private readonly linkedRecord: LinkedRecord,
    private readonly logger: Logger,
  ) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => [IdentityRecordMpxn], {
    description:
      'Internal: MPxNs by internal ids, in the order asked for. A record that cannot be opened keeps back no other.',
  })
  async identityRecordMpxns(
    @Arg('ids', () => [ID], { description: 'Internal identifiers of Identity Records, at most 500.' }) ids: string[],
  ): Promise<IdentityRecordMpxn[]> {
    if (ids.length > MOST_RECORDS) throw new RegisterError('VAL003', `ids must have at most ${MOST_RECORDS} entries`);
    const records = await Promise.all(ids.map((id) => this.linkedRecord(id)));
    return records.map((record) => this.mpxnOf(record));
  }

  private mpxnOf(record: IdentityRecord | null): IdentityRecordMpxn {
    if (record === null) return { mpxn: null, canBeOpened: true };
    try {
      return { mpxn: record.personal()?.piiPrincipal.mpxn ?? null, canBeOpened: true };
    } catch (error) {
      if (!this.told.has(record.id))
        this.logger.error({ identityRecord: record.id, failure: failureFacts(error) }, 'a record cannot be opened');
      this.told.set(record.id, true);
      return { mpxn: null, canBeOpened: false };
    }
  }
}
