import type { Violation } from '../../../../schema/register-error';
import { type AccessRecordInput, type ControllerNotice, type Notice, isConsentBasis } from '../access-record';
import type { RegistrationRule } from './registration-rule';

const CONSENT = ['accessEvent', 'consent'];

/** Legal basis versus section population (specification, table of that name; rejected condition 4). */
export const legalBasisPopulation: RegistrationRule = (input) =>
  isConsentBasis(input.processing.legalBasis) ? forConsent(input) : forOtherBases(input);

function forOtherBases({ notice, accessEvent, processing }: AccessRecordInput): Violation[] {
  const message = `must be null for ${processing.legalBasis}`;
  const violations: Violation[] = [];
  if (notice != null) violations.push({ code: 'VAL007', path: ['notice'], message });
  if (accessEvent.consent != null) violations.push({ code: 'VAL007', path: CONSENT, message });
  return violations;
}

function forConsent(input: AccessRecordInput): Violation[] {
  const { notice, accessEvent, processing } = input;
  const message = `is required for ${processing.legalBasis}`;
  const violations: Violation[] =
    notice == null ? [{ code: 'VAL007', path: ['notice'], message }] : noticeMembers(notice, input);
  if (accessEvent.consent == null) violations.push({ code: 'VAL007', path: CONSENT, message });
  return violations;
}

/** A notice has exactly one member; notices per controller have rules of their own. */
function noticeMembers({ sharedNotice, notices }: Notice, input: AccessRecordInput): Violation[] {
  const message = 'must have exactly one of shared-notice and notices';
  const isOne = (sharedNotice == null) !== (notices == null);
  const member: Violation[] = isOne ? [] : [{ code: 'VAL007', path: ['notice'], message }];
  return notices == null ? member : [...member, ...controllerNotices(notices, input)];
}

/** Notices per controller are for joint arrangements, with one for each controller by name. */
function controllerNotices(notices: readonly ControllerNotice[], { recordMetadata }: AccessRecordInput): Violation[] {
  const { arrangementType, controllers } = recordMetadata.controllerArrangement;
  const path = ['notice', 'notices'];
  if (arrangementType !== 'joint') return [{ code: 'VAL007', path, message: 'is for joint arrangements only' }];
  if (notices.length < 2) return [{ code: 'VAL007', path, message: 'must have at least 2 entries' }];
  const names = controllers.map(({ name }) => name);
  const unknown = notices.flatMap(({ controllerName }, index): Violation[] =>
    names.includes(controllerName)
      ? []
      : [{ code: 'VAL007', path: [...path, index, 'controllerName'], message: 'is not the name of a controller' }],
  );
  const noticed = new Set(notices.map(({ controllerName }) => controllerName));
  const onePerController = noticed.size === notices.length && names.every((name) => noticed.has(name));
  return unknown.length > 0 || onePerController
    ? unknown
    : [{ code: 'VAL007', path, message: 'must have exactly one entry for each controller' }];
}
