import type { ServiceLink } from '../../subgraphs/server/link/link-client';
import type { GraphClient, GraphFailure, GraphResult, RequestMetadata } from './graph-client';

/** A request of a graph client in another process. */
export interface ClientCall {
  /** Name of a trusted document. */
  readonly operation: string;
  /** Undefined to check only whether the caller may run the operation. */
  readonly variables?: Record<string, unknown>;
  readonly metadata: RequestMetadata;
}

/** The response to a request without variables; without a failure, the caller may run the operation. */
export interface Admission {
  readonly failure?: GraphFailure;
}

const UNAVAILABLE: GraphFailure = { code: 'SYS002', message: '' };

/** Graph client for a gateway in another process: sends names of trusted documents. */
export function remoteGraphClient(gateway: ServiceLink): GraphClient {
  return {
    run: (operation, variables, metadata) =>
      gateway.call({ operation, variables, metadata } satisfies ClientCall).then(
        (result) => result as GraphResult,
        () => ({ failures: [UNAVAILABLE] }),
      ),
    admit: (operation, metadata) =>
      gateway.call({ operation, metadata } satisfies ClientCall).then(
        (admission) => (admission as Admission).failure,
        () => UNAVAILABLE,
      ),
  };
}
