import { spawnSync } from 'node:child_process';

/** Whether Python is on the machine. */
export const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;
