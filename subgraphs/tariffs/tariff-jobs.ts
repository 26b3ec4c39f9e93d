/** Schema of the jobs of `tariffs`. */
export const TARIFF_JOBS = 'tariffs_jobs';
