/** Descriptions of the values of an enum by their names, in the form in which type-graphql takes them. */
export function told<Name extends string>(descriptions: Readonly<Record<Name, string>>) {
  const values = Object.entries<string>(descriptions).map(([name, description]) => [name, { description }]);
  return Object.fromEntries(values) as Record<Name, { description: string }>;
}
