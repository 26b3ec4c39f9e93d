import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { AccessKey } from '../../../schema/scalars';
import type { CallContext } from '../../server/caller';
import { AccessRecordRepository } from '../database/access-record.repository';
import type { StoredAccessRecord } from '../database/stored-access-record';
import { disclosedKey } from './access-record.resolver';
import { RecordMetadataType } from './access-record.types';

/** The record identifier: the access key, for whoever gave it and for its registrant. */
@Resolver(() => RecordMetadataType)
export class RecordMetadataResolver {
  constructor(private readonly records: AccessRecordRepository) {}

  @FieldResolver(() => AccessKey, {
    nullable: true,
    description: 'The access key: for its registrant, and whoever asked by it.',
  })
  recordIdentifier(@Root() { record }: { record: StoredAccessRecord }, @Ctx() context: CallContext): string {
    return disclosedKey(record, context, this.records);
  }
}
