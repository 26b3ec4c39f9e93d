import type { Violation } from '../../../../schema/register-error';
import { hasVisibleCharacter } from '../../../../schema/visible-text';
import { type ArrangementType, type ControllerArrangement, type ControllerRole, isAccountable } from '../access-record';
import type { RegistrationRule } from './registration-rule';

const AT = ['recordMetadata', 'controllerArrangement'];

/** Roles of an arrangement: of its accountable controller, and of all others (specification, controller-arrangement rules 1 to 3). */
const ROLES: Record<ArrangementType, { first: ControllerRole; others: ControllerRole | null; atLeast: number }> = {
  sole: { first: 'sole', others: null, atLeast: 1 },
  joint: { first: 'lead', others: 'joint', atLeast: 2 },
  group: { first: 'lead', others: 'member', atLeast: 1 },
};

/** The controller arrangement (specification, controller-arrangement rules 1 to 3; rejected condition 3). */
export const controllerArrangement: RegistrationRule = ({ recordMetadata }) => {
  const arrangement = recordMetadata.controllerArrangement;
  return [
    ...article26(arrangement),
    ...numberOfControllers(arrangement),
    ...rolesOfControllers(arrangement),
    ...namesOfControllers(arrangement),
    ...complianceFields(arrangement),
  ];
};

function article26({ arrangementType, art26Reference }: ControllerArrangement): Violation[] {
  const path = [...AT, 'art26Reference'];
  if (arrangementType === 'joint') {
    const isGiven = art26Reference != null && hasVisibleCharacter(art26Reference);
    return isGiven ? [] : [{ code: 'VAL006', path, message: 'is required for a joint arrangement' }];
  }
  return art26Reference == null
    ? []
    : [{ code: 'VAL006', path, message: `must be null for a ${arrangementType} arrangement` }];
}

function numberOfControllers({ arrangementType, controllers }: ControllerArrangement): Violation[] {
  const path = [...AT, 'controllers'];
  const { first, atLeast } = ROLES[arrangementType];
  if (arrangementType === 'sole' && controllers.length !== 1) {
    return [{ code: 'VAL006', path, message: 'must have exactly one entry for a sole arrangement' }];
  }
  if (controllers.length < atLeast) {
    return [
      { code: 'VAL006', path, message: `must have at least ${atLeast} entries for a ${arrangementType} arrangement` },
    ];
  }
  const leads = controllers.filter(({ role }) => role === first).length;
  return leads === 1 ? [] : [{ code: 'VAL006', path, message: `must have exactly one entry with the role ${first}` }];
}

function rolesOfControllers({ arrangementType, controllers }: ControllerArrangement): Violation[] {
  const { first, others } = ROLES[arrangementType];
  return controllers.flatMap(({ role }, index): Violation[] =>
    role === first || role === others
      ? []
      : [
          {
            code: 'VAL006',
            path: [...AT, 'controllers', index, 'role'],
            message: `is not a role of a ${arrangementType} arrangement`,
          },
        ],
  );
}

/** Names are unique, because notices refer to a controller by name, and customers distinguish controllers by it. */
function namesOfControllers({ controllers }: ControllerArrangement): Violation[] {
  const names = controllers.map(({ name }) => name);
  return names.flatMap((name, index): Violation[] =>
    names.indexOf(name) === index
      ? []
      : [{ code: 'VAL006', path: [...AT, 'controllers', index, 'name'], message: 'is the name of another controller' }],
  );
}

/** `privacy-rights-url` is required on the accountable entry (decisions A/B, 3). */
function complianceFields({ controllers }: ControllerArrangement): Violation[] {
  return controllers.flatMap((controller, index): Violation[] =>
    isAccountable(controller) && controller.privacyRightsUrl == null
      ? [
          {
            code: 'VAL002',
            path: [...AT, 'controllers', index, 'privacyRightsUrl'],
            message: `is required on the ${controller.role} entry`,
          },
        ]
      : [],
  );
}
