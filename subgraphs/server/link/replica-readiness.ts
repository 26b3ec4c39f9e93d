import { RegisterError } from '../../../schema/register-error';
import type { LinkConnection } from './link-connection';
import { READINESS } from './link-messages';

/** Readiness of the replicas of a service, as they have reported it last. */
export class ReplicaReadiness {
  private readonly unready = new WeakSet<LinkConnection>();
  /** Requests for the readiness of a replica that are under way. */
  private readonly pending = new WeakMap<LinkConnection, Promise<boolean>>();

  /** Returns whether the replica has reported that it cannot serve requests. */
  isUnready(connection: LinkConnection): boolean {
    return this.unready.has(connection);
  }

  /** Requests the readiness of each replica; resolves with true at the first that is ready. */
  anyReady(connections: Iterable<LinkConnection>): Promise<boolean> {
    const probes = [...connections].map(async (connection) => {
      if (!(await this.probe(connection))) throw new RegisterError('SYS002');
      return true;
    });
    return Promise.any(probes).catch(() => false);
  }

  private probe(connection: LinkConnection): Promise<boolean> {
    const pending = this.pending.get(connection);
    if (pending) return pending;
    const probe = this.requested(connection).finally(() => this.pending.delete(connection));
    this.pending.set(connection, probe);
    return probe;
  }

  /** A request that fails shows nothing: the connection may be full or lost. */
  private async requested(connection: LinkConnection): Promise<boolean> {
    const response = await connection.call(READINESS, undefined, performance.now()).catch(() => undefined);
    if (response === true) this.unready.delete(connection);
    else if (response !== undefined) this.unready.add(connection);
    return response === true;
  }
}
