import { identityLink } from '../../../subgraphs/access/records/rules/identity-link';
import { recordOnContract, reportedBy } from '../../support/access-records';

const LINKED = 'ir_19c2e47ab0d35f8611a2b3c4';
const OTHER = 'ir_ffffffffffffffffffffffff';
const TOKEN = 'mlr_0123456789abcdef01234567';

const REF = 'VAL005 recordMetadata/identityRecordRef';
const BOTH = `${REF}: must be omitted when reidentification-token is supplied`;
const NEITHER = `${REF}: is required unless reidentification-token is supplied`;
const CHANGED = `${REF}: cannot be changed: omit it, or send the linked one`;
const NO_TOKEN = 'VAL005 reidentificationToken: is for registering a new record only';

type Value = string | null | undefined;

function linked(ref: Value, token: Value) {
  return recordOnContract((record) => {
    delete record.recordMetadata.identityRecordRef;
    if (ref !== undefined) record.recordMetadata.identityRecordRef = ref;
    if (token !== undefined) record.reidentificationToken = token;
  });
}

describe('The link to the Identity Record of a new record', () => {
  it.each<[string, Value, Value, string[]]>([
    ['a reference alone', LINKED, undefined, []],
    ['a reference and no token', LINKED, null, []],
    ['a token alone', undefined, TOKEN, []],
    ['a token and no reference', null, TOKEN, []],
    ['both', LINKED, TOKEN, [BOTH]],
    ['neither', undefined, undefined, [NEITHER]],
    ['both null', null, null, [NEITHER]],
  ])('must be exactly one of reference and token, here %s', (_, ref, token, expected) => {
    expect(reportedBy(identityLink, linked(ref, token))).toEqual(expected);
  });
});

describe('The link to the Identity Record of a replaced record', () => {
  it.each<[string, string | null, Value, Value, string[]]>([
    ['kept if the request omits it', LINKED, undefined, undefined, []],
    ['kept if the request has null', LINKED, null, null, []],
    ['kept if the request names the linked record', LINKED, LINKED, undefined, []],
    ['not changed to another record', LINKED, OTHER, undefined, [CHANGED]],
    ['not renewed by a token', LINKED, undefined, TOKEN, [NO_TOKEN]],
    ['neither changed nor renewed', LINKED, OTHER, TOKEN, [CHANGED, NO_TOKEN]],
    ['not disclosed to a guess, if a token made it', null, LINKED, undefined, [CHANGED]],
    ['kept if the request omits it and a token made it', null, null, undefined, []],
  ])('is %s', (_, identityRecordRef, ref, token, expected) => {
    expect(reportedBy(identityLink, linked(ref, token), { replaces: { identityRecordRef } })).toEqual(expected);
  });
});
