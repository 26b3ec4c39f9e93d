import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { TrustedProxies } from '../gateway/client/client-address';
import type { GraphClient } from '../gateway/client/graph-client';
import type { FileStore } from './files/file-store';
import type { Installation } from './contract/installation';
import type { Samples } from './responses/reference-page';

/** Settings of the adapter. */
interface RestAdapterSettings extends Installation {
  readonly port: number;
  readonly host?: string | undefined;
  readonly trustProxy: TrustedProxies;
  readonly production: boolean;
  /** Licence area of files if neither host nor query names one. */
  readonly ltdsDefaultArea?: string | undefined;
}

/** Dependencies and settings of the adapter. */
export interface RestAdapterOptions {
  readonly graph: GraphClient;
  /** Store of the bytes of published files. */
  readonly files: FileStore;
  /** The API schema of the supergraph. */
  readonly schema: GraphQLSchema;
  /** Returns the public keys of bearer tokens as a JWK Set, for `/.well-known/jwks.json`. */
  keySet(): Promise<unknown>;
  readonly settings: RestAdapterSettings;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Returns values of the sandbox for the examples of the reference page. */
  readonly samples?: () => Samples | undefined;
}

/** A running adapter. */
export interface RunningRestAdapter {
  readonly app: FastifyInstance;
  readonly url: string;
  close(): Promise<void>;
}
