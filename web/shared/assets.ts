import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { packageFolder } from './package-folder';

/** A style sheet, a script or a picture that pages load. */
export interface Asset {
  readonly name: string;
  readonly content: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Serves assets for a year of caching, below a path that contains a digest of their content. Returns that path. */
export function serveAssets(app: FastifyInstance, assets: readonly Asset[]): string {
  const digest = createHash('sha256');
  for (const { content } of assets) digest.update(content);
  const path = `/assets/${digest.digest('hex').slice(0, 16)}`;
  for (const { name, content } of assets) {
    app.get(`${path}/${name}`, (_request, reply) => {
      reply.removeHeader('content-security-policy');
      return reply
        .type(CONTENT_TYPES[extname(name)] as string)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(content);
    });
  }
  return path;
}

/** Reads files of `web/<service>/assets/` as assets. */
export function ownAssets(service: string, ...names: readonly string[]): Asset[] {
  const folder = join(REPOSITORY_ROOT, 'web', service, 'assets');
  return names.map((name) => ({ name, content: readFileSync(join(folder, name), 'utf8') }));
}

/** Reads a file of an installed package and removes the reference to its source map, which is not served. */
export function packageFile(name: string, path: string): string {
  return readFileSync(join(packageFolder(name), path), 'utf8').replace(/\/[/*]# sourceMappingURL=.*/g, '');
}
