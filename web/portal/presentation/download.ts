import { stringify } from 'csv-stringify/sync';
import { withoutBidiControls } from '../../../schema/visible-text';
import type { Language, Translate } from '../request/languages';
import { accessOf, nameOf } from './access-list';
import { endOf, endedBy } from './history';
import type { Controller, CustomerRecord, CustomerSession, Notice } from './operation-results';

const COLUMNS = [
  'organisation',
  'status',
  'legalBasis',
  'purpose',
  'dataTypes',
  'registered',
  'expiry',
  'changed',
  'ended',
  'endedBy',
  'registeredBy',
  'controllers',
  'terms',
  'recipients',
  'firstSeen',
  'lastSeen',
] as const;

/**
 * Formats current and ended access records as a CSV table for spreadsheet programs, record by record. A cell that such a program would
 * read as a formula is escaped (decisions A/B, 9). All cells are quoted, because a line break or a semicolon in an unquoted one would start another
 * row or cell, with a formula of its own. Cells omit the control characters that reverse the text after them.
 */
export async function* csvOf(
  records: AsyncIterable<CustomerRecord>,
  language: Language,
  translate: Translate,
): AsyncGenerator<string> {
  const format = { quoted: true, record_delimiter: 'windows', escape_formulas: true } as const;
  yield stringify([COLUMNS.map((column) => translate(`download.${column}`))], { ...format, bom: true });
  for await (const record of records) {
    const row = rowOf(record, language, translate);
    yield stringify([COLUMNS.map((column) => withoutBidiControls(row[column]))], format);
  }
}

function rowOf(
  record: CustomerRecord,
  language: Language,
  translate: Translate,
): Record<(typeof COLUMNS)[number], string> {
  const { legalBasis, purpose, dataTypes, controllers, terms, recipients, registeredBy } = accessOf(record, language);
  const end = endOf(record);
  const { versions, discoveredAccess: discovered } = record;
  return {
    organisation: nameOf(record),
    status: translate(`state.${record.state}`),
    legalBasis: legalBasis === null ? '' : translate(`legalBasis.${legalBasis}.name`),
    purpose: purpose ?? '',
    dataTypes: dataTypes.map((type) => translate(`dataType.${type}`)).join('; '),
    registered: discovered ? '' : (record.registeredAt ?? ''),
    expiry: record.expiry ?? '',
    changed: discovered ? '' : changesOf(versions, translate).join('; '),
    ended: end ?? '',
    endedBy: end === null ? '' : translate(`endedBy.${endedBy(record)}`),
    registeredBy: discovered ? '' : (registeredBy?.name ?? nameOf(record)),
    controllers: controllers.map(({ name, contact, rights }) => joined(name, contact, rights)).join('; '),
    terms: terms.map(({ controller, link, version }) => joined(controller, link, version)).join('; '),
    recipients: recipients.map(({ name, role }) => joined(name, role)).join('; '),
    firstSeen: discovered?.firstSeen ?? '',
    lastSeen: discovered?.lastSeen ?? '',
  };
}

/** Returns the instants of the changes, newest first. The oldest version is the registration, unless there are more versions than listed. */
function changesOf({ nodes, nextCursor }: CustomerRecord['versions'], translate: Translate): string[] {
  const instants = nodes.map(({ recordedAt }) => recordedAt);
  return nextCursor === null ? instants.slice(0, -1) : [...instants, translate('download.earlier')];
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(', ');
}

/**
 * Formats current and ended access records as JSON, in the field names and values of Interface A
 * (schema/openapi/a.yaml), record by record.
 */
export async function* jsonOf(
  { mpxn, address, moveInDate }: CustomerSession,
  records: AsyncIterable<CustomerRecord>,
): AsyncGenerator<string> {
  const property = { mpxn, address, 'move-in-date': moveInDate };
  const [start = '', end] = JSON.stringify({ property, 'access-records': [] }, null, 2).split(/(?<=\[)(?=\]\n\}$)/);
  let before = start;
  for await (const record of records) {
    yield `${before}\n    ${JSON.stringify(recordFields(record), null, 2).replaceAll('\n', '\n    ')}`;
    before = ',';
  }
  yield before === start ? `${start}${end}\n` : `\n  ${end}\n`;
}

function recordFields(record: CustomerRecord): object {
  const { recordMetadata, processing, dataUser, discoveredAccess: seen } = record;
  const end = endOf(record);
  return {
    state: record.state,
    'legal-basis': record.legalBasis === null ? null : wireWord(record.legalBasis),
    purpose: record.purpose,
    'data-types': record.dataTypes.map(wireCode),
    'data-source': processing.dataSource,
    'registered-at': record.registeredAt,
    expiry: record.expiry,
    'revoked-at': record.accessEvent.revokedAt,
    'ended-at': end,
    'ended-by': end === null ? null : endedBy(record),
    'lead-controller-name': record.leadControllerName,
    controllers: recordMetadata.controllerArrangement.controllers.map(controllerFields),
    notice: record.notice && noticeFields(record.notice),
    recipients: (processing.recipients ?? []).map(({ name, role, privacyUrl }) => ({
      name,
      role,
      'privacy-url': privacyUrl,
    })),
    'data-user': dataUser && { 'display-name': dataUser.displayName, 'contact-url': dataUser.contactUrl },
    versions: record.versions.nodes.map((version) => ({
      'recorded-at': version.recordedAt,
      'legal-basis': version.legalBasis === null ? null : wireWord(version.legalBasis),
      purpose: version.purpose,
      'data-types': version.dataTypes.map(wireCode),
      expiry: version.expiry,
      'lead-controller-name': version.leadControllerName,
      'replaced-sections': version.replacedSections.map(wireWord),
    })),
    ...(record.versions.nextCursor === null ? {} : { 'earlier-versions-omitted': true }),
    'discovered-access': seen && {
      'organisation-name': seen.organisationName,
      'first-seen': seen.firstSeen,
      'last-seen': seen.lastSeen,
      'data-types-observed': seen.dataTypesObserved.map(wireCode),
    },
  };
}

function controllerFields({ name, role, contactUrl, privacyRightsUrl }: Controller): object {
  return { name, role: wireWord(role), 'contact-url': contactUrl, 'privacy-rights-url': privacyRightsUrl };
}

function noticeFields({ sharedNotice, notices }: NonNullable<CustomerRecord['notice']>): object {
  const fieldsOf = ({ termsUrl, noticeVersion }: Notice) => ({
    'terms-url': termsUrl,
    'notice-version': noticeVersion,
  });
  return {
    'shared-notice': sharedNotice && fieldsOf(sharedNotice),
    notices: notices?.map((notice) => ({ 'controller-name': notice.controllerName, ...fieldsOf(notice) })) ?? null,
  };
}

/** Returns a GraphQL enum value as Interface A spells it: `HH-CONSUMPTION`. */
function wireCode(name: string): string {
  return name.replaceAll('_', '-');
}

/** Returns a GraphQL enum value as Interface A spells words: `uk-contract`, `sole`. */
function wireWord(name: string): string {
  return wireCode(name).toLowerCase();
}
