import type { ArrangementType, Controller, ControllerRole } from '../../../subgraphs/access/records/access-record';
import { controllerArrangement } from '../../../subgraphs/access/records/rules/controller-arrangement';
import { FERNHOLLOW, HARBOURLIGHT, recordOnContract, reportedBy } from '../../support/access-records';

const AT = 'recordMetadata/controllerArrangement';
const ART26_REQUIRED = `VAL006 ${AT}/art26Reference: is required for a joint arrangement`;
const art26Forbidden = (type: ArrangementType) => `VAL006 ${AT}/art26Reference: must be null for a ${type} arrangement`;
const EXACTLY_ONE = `VAL006 ${AT}/controllers: must have exactly one entry for a sole arrangement`;
const JOINT_NEEDS_TWO = `VAL006 ${AT}/controllers: must have at least 2 entries for a joint arrangement`;
const GROUP_NEEDS_ONE = `VAL006 ${AT}/controllers: must have at least 1 entries for a group arrangement`;
const one = (role: ControllerRole) => `VAL006 ${AT}/controllers: must have exactly one entry with the role ${role}`;
const noRole = (index: number, type: ArrangementType) =>
  `VAL006 ${AT}/controllers/${index}/role: is not a role of a ${type} arrangement`;
const rightsUrl = (index: number, role: ControllerRole) =>
  `VAL002 ${AT}/controllers/${index}/privacyRightsUrl: is required on the ${role} entry`;

const SECTION = 'Agreement of May 2026, section 4';

const table: [
  sentence: string,
  type: ArrangementType,
  roles: ControllerRole[],
  art26: string | null,
  violations: string[],
][] = [
  ['one sole controller', 'sole', ['sole'], null, []],
  ['no controller at all in a sole arrangement', 'sole', [], null, [EXACTLY_ONE]],
  ['two sole controllers', 'sole', ['sole', 'sole'], null, [EXACTLY_ONE]],
  ['a sole arrangement of a lead', 'sole', ['lead'], null, [one('sole'), noRole(0, 'sole')]],
  ['a sole arrangement of a joint controller', 'sole', ['joint'], null, [one('sole'), noRole(0, 'sole')]],
  ['a sole arrangement of a group member', 'sole', ['member'], null, [one('sole'), noRole(0, 'sole')]],
  ['a sole controller with an Article 26 reference', 'sole', ['sole'], SECTION, [art26Forbidden('sole')]],
  ['a sole controller with an empty Article 26 reference', 'sole', ['sole'], '', [art26Forbidden('sole')]],

  ['a lead and a joint controller', 'joint', ['lead', 'joint'], SECTION, []],
  ['the lead need not come first', 'joint', ['joint', 'lead', 'joint'], SECTION, []],
  ['a joint arrangement without its Article 26 reference', 'joint', ['lead', 'joint'], null, [ART26_REQUIRED]],
  ['a joint arrangement with an empty Article 26 reference', 'joint', ['lead', 'joint'], '', [ART26_REQUIRED]],
  ['no controller at all in a joint arrangement', 'joint', [], SECTION, [JOINT_NEEDS_TWO]],
  ['a lead without a joint controller', 'joint', ['lead'], SECTION, [JOINT_NEEDS_TWO]],
  ['joint controllers without a lead', 'joint', ['joint', 'joint'], SECTION, [one('lead')]],
  ['two leads of a joint arrangement', 'joint', ['lead', 'lead'], SECTION, [one('lead')]],
  ['a group member among joint controllers', 'joint', ['lead', 'member'], SECTION, [noRole(1, 'joint')]],
  ['a sole controller among joint ones', 'joint', ['lead', 'joint', 'sole'], SECTION, [noRole(2, 'joint')]],

  ['a lead and its group', 'group', ['lead', 'member', 'member'], null, []],
  ['a group of its lead alone', 'group', ['lead'], null, []],
  ['no controller at all in a group', 'group', [], null, [GROUP_NEEDS_ONE]],
  ['a group without a lead', 'group', ['member', 'member'], null, [one('lead')]],
  ['two leads of a group', 'group', ['lead', 'lead'], null, [one('lead')]],
  ['a joint controller in a group', 'group', ['lead', 'joint'], null, [noRole(1, 'group')]],
  ['a sole controller in a group', 'group', ['sole'], null, [one('lead'), noRole(0, 'group')]],
  ['a group with an Article 26 reference', 'group', ['lead', 'member'], SECTION, [art26Forbidden('group')]],
  [
    'everything wrong at once',
    'joint',
    ['sole', 'member'],
    null,
    [ART26_REQUIRED, one('lead'), noRole(0, 'joint'), noRole(1, 'joint')],
  ],
];

function arranged(arrangementType: ArrangementType, art26Reference: string | null, controllers: Controller[]) {
  return recordOnContract(({ recordMetadata }) => {
    recordMetadata.controllerArrangement = { arrangementType, art26Reference, controllers };
  });
}

describe('The controller arrangement', () => {
  it.each(table)('%s', (_, type, roles, art26, expected) => {
    const controllers = roles.map((role, index) => ({ ...HARBOURLIGHT, name: `Controller ${index}`, role }));
    expect(reportedBy(controllerArrangement, arranged(type, art26, controllers))).toEqual(expected);
  });

  it('treats an absent Article 26 reference like null', () => {
    const { art26Reference: _, ...arrangement } = arranged('group', null, [{ ...HARBOURLIGHT, role: 'lead' }])
      .recordMetadata.controllerArrangement;
    const record = recordOnContract(({ recordMetadata }) => {
      recordMetadata.controllerArrangement = arrangement;
    });
    expect(reportedBy(controllerArrangement, record)).toEqual([]);
  });

  it.each<[ArrangementType, ControllerRole, string[]]>([
    ['sole', 'sole', [rightsUrl(0, 'sole')]],
    ['joint', 'lead', [rightsUrl(0, 'lead')]],
    ['group', 'lead', [rightsUrl(0, 'lead')]],
  ])(
    'requires the privacy rights URL of the accountable controller of a %s arrangement, and of no other controller',
    (type, role, expected) => {
      const accountable = { ...HARBOURLIGHT, role, privacyRightsUrl: null };
      const others = { sole: [], joint: [FERNHOLLOW], group: [{ ...FERNHOLLOW, role: 'member' as const }] }[type];
      const record = arranged(type, type === 'joint' ? SECTION : null, [accountable, ...others]);
      expect(reportedBy(controllerArrangement, record)).toEqual(expected);
    },
  );

  it('has no two controllers with one name, because notices refer to controllers by name', () => {
    const named = (...names: string[]) =>
      arranged(
        'joint',
        SECTION,
        names.map((name, index) => ({ ...HARBOURLIGHT, name, role: index === 0 ? 'lead' : 'joint' })),
      );
    const same = (index: number) => `VAL006 ${AT}/controllers/${index}/name: is the name of another controller`;
    expect(reportedBy(controllerArrangement, named('One', 'Other', 'one'))).toEqual([]);
    expect(reportedBy(controllerArrangement, named('One', 'Other', 'One', 'Other'))).toEqual([same(2), same(3)]);
  });
});
