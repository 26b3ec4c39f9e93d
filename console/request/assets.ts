import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { type Asset, packageFile } from '../../web/assets';

/** The styles and scripts of the console, and the plot's. */
export function consoleAssets(): readonly Asset[] {
  return [
    { name: 'console.css', content: ownFile('console.css') },
    { name: 'rooms.css', content: ownFile('rooms.css') },
    { name: 'grid.css', content: ownFile('grid.css') },
    { name: 'tariffs.css', content: ownFile('tariffs.css') },
    { name: 'plot.css', content: packageFile('uplot', 'dist/uPlot.min.css') },
    { name: 'uplot.js', content: packageFile('uplot', 'dist/uPlot.esm.js') },
    { name: 'plot.js', content: ownFile('plot.js') },
    { name: 'live.js', content: ownFile('live.js') },
    { name: 'icon.svg', content: ownFile('icon.svg') },
  ];
}

function ownFile(name: string): string {
  return readFileSync(join(REPOSITORY_ROOT, 'console', 'assets', name), 'utf8');
}
