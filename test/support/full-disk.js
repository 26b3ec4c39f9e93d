/** Loaded before a process by `node --require`: files that are written whole are on a full disk. */
const files = require('node:fs/promises');

const { open } = files;
files.open = (path, ...more) => (String(path).endsWith('.new') ? open('/dev/full', 'w') : open(path, ...more));
