import { type TestRegister, type Wiring, startTestRegister } from './register';
import { type RestClient, anonymousClient } from './rest-client';
import { type UserInbox, userInbox } from './user-inbox';

/** A newly started register and the results of its users so far: each user continues from the previous one. */
export interface UserStory {
  readonly register: TestRegister;
  /** The receiver of the users' webhooks. */
  readonly inbox: UserInbox;
  /** A client without a token. */
  readonly anonymous: RestClient;
  /** The first demo Data User; without a token until it signs in. */
  dataUser: RestClient;
  /** The signing secret of its subscription. */
  secret: string;
  /** The customer that it registers: with the key of the Identity Record, and of the first access. */
  readonly customer: { readonly mpxn: string; readonly email: string; ir: string; ak: string };
  /** Stops the register. */
  end(): Promise<void>;
}

/** Starts a register. */
export async function beginStory(wiring: Wiring): Promise<UserStory> {
  const register = await startTestRegister(wiring, { environment: { WEBHOOK_ALLOW_LOOPBACK: 'true' } });
  const inbox = await userInbox();
  const anonymous = anonymousClient(register.rest);
  const customer = { mpxn: '1044332211', email: 'nia.rowlands@customer.example', ir: '', ak: '' };
  const end = async () => {
    await register.close();
    await inbox.close();
  };
  return { register, inbox, anonymous, dataUser: anonymous, secret: '', customer, end };
}

/** Returns the state of an access record, read with its key. */
export async function stateOf(ak: string, reader: RestClient): Promise<string> {
  const { status, body } = await reader('GET', `/v1/access-records/${ak}`);
  if (status !== 200) throw new Error(`verification responded with ${status}`);
  return String(body['access-record']['access-event'].state);
}
