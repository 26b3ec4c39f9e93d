import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { packageFolder } from './package-folder';

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** Serves styles and scripts below a path that changes with their content, so that browsers may keep them. Answers that path. */
export function serveAssets(app: FastifyInstance): string {
  const assets = [
    {
      name: 'components.css',
      type: CSS,
      content: withoutBrand(packageFile('govuk-frontend', 'dist/govuk/govuk-frontend.min.css')),
    },
    { name: 'portal.css', type: CSS, content: ownFile('portal.css') },
    {
      name: 'components.js',
      type: JAVASCRIPT,
      content: packageFile('govuk-frontend', 'dist/govuk/govuk-frontend.min.js'),
    },
    { name: 'page.js', type: JAVASCRIPT, content: ownFile('page.js') },
    {
      name: 'webauthn.js',
      type: JAVASCRIPT,
      content: packageFile('@simplewebauthn/browser', 'dist/bundle/index.umd.min.js'),
    },
    { name: 'passkey.js', type: JAVASCRIPT, content: ownFile('passkey.js') },
    { name: 'icon.svg', type: 'image/svg+xml', content: ownFile('icon.svg') },
  ];
  const digest = createHash('sha256');
  for (const { content } of assets) digest.update(content);
  const path = `/assets/${digest.digest('hex').slice(0, 16)}`;
  for (const { name, type, content } of assets) {
    app.get(`${path}/${name}`, (_request, reply) => {
      reply.removeHeader('content-security-policy');
      return reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(content);
    });
  }
  return path;
}

/** The typeface and the crest are for gov.uk alone: the pages use Arial and no crest. */
export function withoutBrand(stylesheet: string): string {
  return stylesheet
    .replace(/\/\*! Copyright \(c\) 2011[^*]*\*\//g, '')
    .replace(/@font-face\{[^}]*\}/g, '')
    .replace(/GDS Transport, ?/g, '')
    .replace(/url\([^)]*crest[^)]*\)/g, 'none');
}

function ownFile(name: string): string {
  return readFileSync(join(REPOSITORY_ROOT, 'portal', 'assets', name), 'utf8');
}

function packageFile(name: string, path: string): string {
  return readFileSync(join(packageFolder(name), path), 'utf8').replace(/\/[/*]# sourceMappingURL=.*/g, '');
}
