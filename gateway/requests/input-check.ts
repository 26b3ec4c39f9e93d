import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';

/** Returns true for a value that `coerceInputValue` of graphql-js accepts. False proves nothing: that function then decides. */
export type InputCheck = (value: unknown) => boolean;

const ofObjects = new WeakMap<GraphQLInputObjectType, InputCheck>();

/**
 * Compiles the check of an input type. It takes a twentieth of the time of `coerceInputValue`, which copies every value: 3 instead of 70
 * milliseconds for a year of half-hourly prices.
 */
export function inputCheck(type: GraphQLInputType): InputCheck {
  if (isNonNullType(type)) {
    const check = inputCheck(type.ofType);
    return (value) => value != null && check(value);
  }
  if (isListType(type)) {
    const check = inputCheck(type.ofType);
    return (value) => value == null || (Array.isArray(value) && value.every((each) => check(each)));
  }
  if (isInputObjectType(type)) return objectCheck(type);
  return (value) => {
    try {
      return value == null || (isLeafType(type) && type.parseValue(value, true) !== undefined);
    } catch {
      return false;
    }
  };
}

function objectCheck(type: GraphQLInputObjectType): InputCheck {
  const known = ofObjects.get(type);
  if (known !== undefined) return known;
  const checks = new Map<string, InputCheck>();
  const fields = Object.values(type.getFields());
  const required = fields.filter(({ type: of, defaultValue }) => isNonNullType(of) && defaultValue === undefined);
  const check: InputCheck = (value) => {
    if (value == null) return true;
    if (typeof value !== 'object' || Array.isArray(value) || type.isOneOf) return false;
    const object = value as Readonly<Record<string, unknown>>;
    return (
      required.every(({ name }) => object[name] !== undefined) &&
      Object.keys(object).every((name) => checks.get(name)?.(object[name]) === true)
    );
  };
  ofObjects.set(type, check); // before its fields, which may contain the type
  for (const field of fields) checks.set(field.name, inputCheck(field.type));
  return check;
}
