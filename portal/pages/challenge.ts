import { type Entry, namesMeterPoint, namesSomebody } from '../request/entry';
import type { View, Visit } from '../page';
import type { SupplierSignIn } from '../presentation/register-answers';

/** What was wrong with an attempt: a text, and the field it concerns. */
export interface ChallengeFault {
  readonly text: string;
  readonly href: string;
  readonly status: number;
}

/** The challenge page: the same for everybody, known or not (2-decisions-a-b.md, section 9). */
export async function challenge(visit: Visit, fault?: ChallengeFault): Promise<View> {
  const entry = visit.sealed.read<Entry>('entry') ?? {};
  const isNamed = namesSomebody(entry);
  const suppliers = isNamed ? await suppliersOf(visit) : [];
  return {
    view: 'sign-in',
    model: {
      path: '/sign-in',
      isNamed,
      entered: entry.email ?? entry.mpxn,
      byEmail: entry.email !== undefined,
      canUseSupplier: namesMeterPoint(entry),
      suppliers,
      ...(fault ? { errors: [onPage(fault, suppliers)] } : {}),
    },
    status: fault?.status ?? 200,
    formTargets: 'elsewhere',
  };
}

/** A fault of a way that is not offered (any more) leads to the first that is. */
function onPage(fault: ChallengeFault, suppliers: readonly SupplierSignIn[]): ChallengeFault {
  return fault.href === '#supplier' && suppliers.length === 0 ? { ...fault, href: '#passkey-title' } : fault;
}

async function suppliersOf({ ask }: Visit): Promise<readonly SupplierSignIn[]> {
  const { suppliers } = await ask<{ suppliers: readonly SupplierSignIn[] }>('ListSupplierSignIns');
  return suppliers;
}
