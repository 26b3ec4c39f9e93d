import { type Asset, ownAssets, packageFile } from '../../shared/assets';

/** Style sheets and scripts of the console and of uPlot, which draws the live page's chart. */
export function consoleAssets(): readonly Asset[] {
  return [
    { name: 'plot.css', content: packageFile('uplot', 'dist/uPlot.min.css') },
    { name: 'uplot.js', content: packageFile('uplot', 'dist/uPlot.esm.js') },
    ...ownAssets(
      'console',
      'console.css',
      'sections.css',
      'grid.css',
      'tariffs.css',
      'plot.js',
      'live.js',
      'grid-check.js',
      'icon.svg',
    ),
  ];
}
