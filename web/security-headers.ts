/** Where the forms of a page may lead: to the service that serves it, or from there on to another site. */
export type FormTargets = 'self' | 'elsewhere';

/**
 * The headers of every page: nothing inline, nothing from elsewhere, framed by nobody, kept by nobody. Browsers apply `form-action` to
 * the redirect that answers a form, too, so pages whose form leads elsewhere name that.
 */
export function securityHeaders(production: boolean, hasTls: boolean, targets: FormTargets): Record<string, string> {
  const elsewhere = production ? ' https:' : ' https: http:';
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
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
