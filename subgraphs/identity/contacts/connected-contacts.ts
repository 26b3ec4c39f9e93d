import type { Contact } from './contact';

/**
 * Returns a function that returns one contact for all those that are connected (disjoint sets, whose paths each search shortens). The time grows
 * with the number of contacts and connections, not with its square.
 */
export function representatives(
  contacts: ReadonlySet<Contact>,
  connections: readonly (readonly Contact[])[],
): (contact: Contact) => Contact {
  const parents = new Map<Contact, Contact>();
  const parentOf = (contact: Contact) => parents.get(contact) ?? contact;
  const rootOf = (contact: Contact): Contact => {
    let root = contact;
    while (parentOf(root) !== root) {
      parents.set(root, parentOf(parentOf(root)));
      root = parentOf(root);
    }
    return root;
  };
  for (const together of connections) {
    const [first, ...others] = together.filter((contact) => contacts.has(contact));
    for (const other of others) parents.set(rootOf(other), rootOf(first as Contact));
  }
  return rootOf;
}
