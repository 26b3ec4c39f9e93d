/** A field that is present, and where it stands. */
export interface FieldAt {
  readonly path: (string | number)[];
  readonly value: unknown;
}

/** The present (not null) fields that a template such as `processing.recipients[].name` names, with their paths. */
export function fieldsAt(root: object, template: string): FieldAt[] {
  return template
    .split('.')
    .reduce<FieldAt[]>((fields, step) => fields.flatMap((field) => stepInto(field, step)), [{ path: [], value: root }]);
}

function stepInto({ path, value }: FieldAt, step: string): FieldAt[] {
  const name = step.replace('[]', '');
  const member = (value as Record<string, unknown>)[name];
  if (member == null) return [];
  if (!step.endsWith('[]')) return [{ path: [...path, name], value: member }];
  return (member as unknown[]).map((item, index) => ({ path: [...path, name, index], value: item }));
}
