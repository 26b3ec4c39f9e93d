import { ArgsType, type ClassType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTime, JsonObject } from '../../../schema/scalars';
import { nullable, optional, simple } from '../graph/decorator-options';
import type { AuditEntry, AuditFilter } from './audit.repository';

@InputType('AuditFilter', { description: 'Selects entries of the audit: both conditions must hold.' })
class AuditFilterInput implements AuditFilter {
  @Field(() => String, nullable('Entries of this action. VAL003, with all actions, if there is no such action.'))
  action?: string | null;
  @Field(() => String, nullable('Entries of this actor.')) actor?: string | null;
}

/** Arguments of the audit of a subgraph. */
@ArgsType()
export class AuditArgs {
  @Field(() => Int, { nullable: true, defaultValue: 100, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, optional('Cursor after which the page starts.')) after: string | null;
  @Field(() => AuditFilterInput, nullable('Selects entries.')) filter?: AuditFilter | null;
}

/** Creates the object type of the entries of a subgraph's audit. */
export function auditEntryType(name: string): ClassType<AuditEntry> {
  @ObjectType(name, simple('An entry of the audit of its service.'))
  class EntryType implements AuditEntry {
    @Field(() => ID, { description: 'Number.' }) id: string;
    @Field(() => DateTime, { description: 'Time of the action.' }) at: Date;
    @Field(() => String, { description: 'Account, RTI User, `customer`, command or `register` that acted.' })
    actor: string;
    @Field(() => String, { description: 'Name of the action.' }) action: string;
    @Field(() => String, { description: 'Identifier of the changed object.' }) subject: string;
    @Field(() => JsonObject, { description: 'Former and new values, without secrets and personal data.' })
    detail: Record<string, unknown>;
  }
  return EntryType;
}
