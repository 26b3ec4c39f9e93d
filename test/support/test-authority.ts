import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key and its certificate, in PEM. */
export interface TestCertificate {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** A certificate authority for tests. */
export interface TestAuthority {
  /** File with its own certificate, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** Issues a certificate for a subject such as `DNS:localhost`, valid for a number of days. */
  issue(subject: string, days?: number): TestCertificate;
  remove(): void;
}

const openssl = (folder: string, ...words: string[]) =>
  void execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Creates an authority with `openssl`. */
export function testAuthority(): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'test-authority-'));
  openssl(
    folder,
    'req',
    '-x509',
    ...KEY,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test authority',
  );
  return {
    file: join(folder, 'ca.pem'),
    issue(subject, days = 1) {
      writeFileSync(join(folder, 'names'), `subjectAltName=${subject}`);
      openssl(folder, 'req', ...KEY, '-keyout', 'leaf.key', '-out', 'leaf.csr', '-subj', '/CN=receiver');
      const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
      openssl(folder, 'x509', '-req', '-in', 'leaf.csr', '-out', 'leaf.pem', '-days', String(days), ...signing);
      return { key: readFileSync(join(folder, 'leaf.key')), cert: readFileSync(join(folder, 'leaf.pem')) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
