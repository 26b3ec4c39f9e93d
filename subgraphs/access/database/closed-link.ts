/** Whether the database refused an access record because its Identity Record is closed. */
export function isLinkToClosed(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'CD001';
}
