import type { PersonalData, UkAddress } from '../domain/identity-record';
import { type Occupancy, occupancyOf } from '../domain/occupancy';
import type { OccupantRecord } from '../domain/occupant-record';
import type { PersonalDataVault } from './personal-data-vault';

/** What is read of a live record: facts in clear, the personal data still sealed. */
export interface OccupantRow {
  readonly id: string;
  readonly ir: string;
  readonly duid: string;
  readonly createdAt: Date;
  readonly meterPointId: string;
  readonly sealed: Buffer;
  readonly wrappedKey: Buffer;
  readonly hasPasskey: boolean;
  /** First day of the current occupancy, `YYYY-MM-DD`; null when there never was a Change of Tenancy. */
  readonly occupiedSince: string | null;
  /** The present day in Great Britain. */
  readonly today: string;
}

/** A live Identity Record that is opened when a personal field is asked for, once. */
export class StoredOccupant implements OccupantRecord {
  private opened: PersonalData | undefined;

  constructor(
    private readonly row: OccupantRow,
    private readonly vault: PersonalDataVault,
  ) {}

  get id(): string {
    return this.row.id;
  }
  get ir(): string {
    return this.row.ir;
  }
  get duid(): string {
    return this.row.duid;
  }
  get createdAt(): Date {
    return this.row.createdAt;
  }
  get meterPointId(): string {
    return this.row.meterPointId;
  }
  get hasPasskey(): boolean {
    return this.row.hasPasskey;
  }
  get mpxn(): string {
    return this.personal.piiPrincipal.mpxn;
  }
  get moveInDate(): string {
    return this.personal.piiPrincipal.moveInDate;
  }
  get address(): UkAddress | null {
    return this.personal.piiPrincipal.address;
  }
  get email(): string | null {
    return this.personal.email;
  }
  get isVerified(): boolean {
    return this.personal.principalVerification?.outcome === 'verified';
  }
  get occupancy(): Occupancy {
    const { occupiedSince, today } = this.row;
    return occupancyOf({ moveInDate: this.moveInDate, occupiedSince, today });
  }

  private get personal(): PersonalData {
    const { id, sealed, wrappedKey } = this.row;
    return (this.opened ??= this.vault.open(id, { sealed, wrappedKey }));
  }
}
