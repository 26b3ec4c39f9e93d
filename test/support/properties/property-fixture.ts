import { type ConsumerParties, consumerParties } from '../consumer-parties';
import { graphAs } from '../graph';
import { type TestRegister, startTestRegister } from '../register';
import { type RestClient, anonymousClient, signedInClient } from '../rest-client';
import { type WireResponse, type WireRequest, wireClient } from './http-exchange';
import { type MomentaryObjects, type ObjectMakers, momentaryObjects } from './momentary-objects';
import { type Samples, propertySamples } from './property-samples';
import { restCallers } from './rest-callers';
import { type ServedOperation, servedContract } from './served-contract';
import { consumerClaims } from './tariff-callers';
import type { RestCaller } from './rest-caller';

/** A register with the objects for requests of all interfaces. */
export interface PropertyFixture {
  readonly register: TestRegister;
  readonly parties: ConsumerParties;
  readonly contract: ReadonlyMap<string, ServedOperation>;
  readonly samples: Samples;
  readonly makers: ObjectMakers;
  readonly objects: MomentaryObjects;
  readonly callersOf: (operationId: string) => RestCaller[];
  /** Sends a request as a caller, and replaces the objects that it ends. */
  send(
    request: WireRequest,
    caller: Pick<RestCaller, 'credential'>,
  ): Promise<{ readonly sent: WireRequest; readonly response: WireResponse }>;
  /** Returns the number of requests so far. */
  sentSoFar(): number;
  close(): Promise<void>;
}

/** Starts the register and creates the objects. */
export async function propertyFixture(): Promise<PropertyFixture> {
  const register = await startTestRegister('one process', { environment: { LOG_LEVEL: 'error' } });
  const parties = await consumerParties(register);
  const dataUser = await signedInClient(register, 'data_user');
  const samples = await propertySamples(register.sandbox, dataUser, parties);
  const token = await parties.supplier.issuer.token(consumerClaims(parties));
  const consumer: RestClient = anonymousClient(register.rest, `Bearer ${token}`);
  const makers = { samples, dataUser, consumer, admin: await graphAs(register, 'admin') };
  const objects = await momentaryObjects(makers);
  const wire = wireClient(register.rest);
  let sentSoFar = 0;
  return {
    ...{ register, parties, samples, makers, objects },
    contract: await servedContract(register.rest),
    callersOf: await restCallers(register, parties),
    async send(request, { credential }) {
      const headers = 'authorization' in request.headers ? request.headers : { ...request.headers, ...credential };
      const sent = { ...request, headers, target: await objects.named(request.target) };
      sentSoFar += 1;
      const response = await wire.send(sent);
      await objects.after(sent, response);
      return { sent, response };
    },
    sentSoFar: () => sentSoFar,
    close: async () => {
      wire.close();
      await parties.close();
      await register.close();
    },
  };
}
