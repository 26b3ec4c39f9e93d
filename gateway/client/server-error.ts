import type { FastifyError } from 'fastify';
import type { ErrorCode } from '../../schema/error-catalogue';

/** Returns the catalogue code of an error that Fastify raises before a route handles the request. */
export function codeOfServerError({ code, statusCode }: Partial<FastifyError>): ErrorCode {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return 'LIM001';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'VAL011';
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return 'NTF001';
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? 'VAL010' : 'SYS001';
}
