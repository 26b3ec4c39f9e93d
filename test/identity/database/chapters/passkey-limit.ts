import { SoftwareAuthenticator } from '../../../support/authenticator';
import {
  REIDENTIFY_OWN,
  REMOVE,
  asserted,
  finish,
  optionsOf,
  registered,
  started,
  valueOf,
} from '../../../support/ceremonies';
import { ADD, ASSERT, type PasskeyFixture, passkeyFixture } from '../../../support/passkey-fixture';

/** Decisions A/B, 4. */
const MAX_PASSKEYS = 10;

/** The number of passkeys of an Identity Record. */
export function passkeyLimit(): void {
  let { fixture, owner, origin, credentialsOf, customer } = {} as PasskeyFixture;
  beforeAll(async () => {
    ({ fixture, owner, origin, credentialsOf, customer } = await passkeyFixture());
  });

  describe('An Identity Record with ten passkeys', () => {
    it('takes no other one, also in a ceremony that started before, until one is removed', async () => {
      const { authenticator, ref } = await customer();
      const add = async (secret: string) => registered(fixture, secret, new SoftwareAuthenticator({ origin }));
      /** The secret of a ceremony in which the customer, who has proven the identity, registers a passkey. */
      const proven = async () => {
        const { secret } = await started(fixture, owner, ADD, ref);
        return valueOf(await asserted(fixture, secret, authenticator)).nextSecret as string;
      };
      const [early, late] = [await proven(), await proven()];
      const response = new SoftwareAuthenticator({ origin }).create(await optionsOf(fixture, late));
      for (let count = 1; count < MAX_PASSKEYS - 1; count += 1) valueOf(await add(await proven()));
      valueOf(await add(early));
      expect(await credentialsOf(ref)).toHaveLength(MAX_PASSKEYS);

      expect((await finish(fixture, late, response)).codes).toEqual(['NTF001']);
      const restarted = { ref, input: ADD };
      expect((await fixture.execute(REIDENTIFY_OWN, restarted, { caller: owner })).codes).toEqual(['REI001']);
      const asserting = await started(fixture, owner, ASSERT, ref);
      valueOf(await asserted(fixture, asserting.secret, authenticator));
      expect(await credentialsOf(ref)).toHaveLength(MAX_PASSKEYS);

      const [, { credentialId: id }] = await credentialsOf(ref);
      valueOf(await fixture.execute(REMOVE, { ref, id }, { caller: owner }));
      valueOf(await add(await proven()));
      expect(await credentialsOf(ref)).toHaveLength(MAX_PASSKEYS);
    });
  });
}
