import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { TrustedProxies } from '../gateway/client/client-address';
import type { GraphClient } from '../gateway/client/graph-client';
import type { FileStore } from './files/file-store';
import type { Installation } from './installation';
import type { Samples } from './reference-page';

/** Where and how the adapter serves. */
export interface RestAdapterSettings extends Installation {
  readonly port: number;
  readonly host?: string | undefined;
  readonly trustProxy: TrustedProxies;
  readonly production: boolean;
  /** Licence area of files when neither host nor query names one. */
  readonly ltdsDefaultArea?: string | undefined;
}

/** What the adapter is made of. */
export interface RestAdapterOptions {
  readonly graph: GraphClient;
  /** Where the bytes of files are. */
  readonly files: FileStore;
  /** The API schema of the supergraph. */
  readonly schema: GraphQLSchema;
  /** The public keys of bearer tokens, a JWK Set, for `/.well-known/jwks.json`. */
  keySet(): Promise<unknown>;
  readonly settings: RestAdapterSettings;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** What the sandbox holds, for the examples of the reference page. */
  readonly samples?: () => Samples | undefined;
}

/** A serving adapter. */
export interface RunningRestAdapter {
  readonly app: FastifyInstance;
  readonly url: string;
  close(): Promise<void>;
}
