import { Environment, FileSystemLoader } from 'nunjucks';

/** Renders a template with its variables. */
export type Render = (view: string, context: Readonly<Record<string, unknown>>) => string;

/** Returns a renderer of the templates in these folders. It escapes every value. */
export function templates(folders: readonly string[]): Render {
  const options = { autoescape: true, trimBlocks: true, lstripBlocks: true };
  const environment = new Environment(new FileSystemLoader([...folders]), options);
  return (view, context) => environment.render(`${view}.njk`, context);
}
