/** Permitted targets of forms: the service itself only, or also other sites to which it redirects. */
export type FormTargets = 'self' | 'elsewhere';

/**
 * Returns the headers of every page: no inline code, no content of other sites, no framing, no caching. Browsers apply
 * `form-action` also to the redirect that follows a form post, so that pages whose forms lead to other sites must allow
 * them. `connectsTo` is another origin to which scripts of the page may send requests.
 */
export function securityHeaders(
  production: boolean,
  hasTls: boolean,
  targets: FormTargets,
  connectsTo?: string,
): Record<string, string> {
  const elsewhere = production ? ' https:' : ' https: http:';
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      `connect-src 'self'${connectsTo === undefined ? '' : ` ${connectsTo}`}`,
      `form-action 'self'${targets === 'elsewhere' ? elsewhere : ''}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex, nofollow',
    'permissions-policy':
      'publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), geolocation=(), microphone=()',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(production && hasTls ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}
