import type { AccountRole } from '../schema/roles';
import type { DemoGrid } from './demo-grid';
import type { DemoRtiUser } from './demo-rti';
import type { SampleTariff } from './demo-tariffs';
import type { SupplierCredentials } from './supplier/supplier-credentials';

/** A demo login in `sandbox.json`. */
export interface DemoAccount {
  readonly name: string;
  readonly role: AccountRole;
  readonly account_id: string;
  readonly secret_key: string;
  readonly duid?: string;
  readonly return_urls?: readonly string[];
  readonly mpid?: string;
  readonly api_key?: string;
}

/** A demo customer in `sandbox.json`. */
export interface DemoCustomer extends SupplierCredentials {
  readonly mpxn: string;
  readonly email: string;
  readonly ir: string;
}

/** The demo data in `sandbox.json`. */
export interface DemoData {
  readonly accounts: readonly DemoAccount[];
  readonly samples: {
    readonly access_keys: Readonly<Record<'active' | 'revoked' | 'expired' | 'discovered', string>>;
    readonly identity_record: string;
    readonly mpxn: string;
  };
  readonly customers: readonly DemoCustomer[];
  readonly grid: DemoGrid;
  /** A tariff of the demo supplier. */
  readonly tariff: SampleTariff;
  /** RTI Users with which the demo customers can share their tariffs. */
  readonly rti_users: readonly DemoRtiUser[];
}

/** Returns the samples of the first Data User that the reference page shows. */
export function samplesOf({ accounts, customers, samples }: DemoData) {
  const duid = accounts.find(({ role }) => role === 'data_user')?.duid ?? '';
  const { mpxn, identity_record: identityRecord } = samples;
  const email = customers.find((customer) => customer.mpxn === mpxn)?.email;
  return {
    accessKey: samples.access_keys.active,
    identityRecord,
    mpxn,
    duid,
    ...(email === undefined ? {} : { email }),
  };
}
