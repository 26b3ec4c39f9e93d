import { Environment, FileSystemLoader } from 'nunjucks';
import { withoutBidiControls } from '../../schema/visible-text';

/** Renders a template with its variables. */
export type Render = (view: string, context: Readonly<Record<string, unknown>>) => string;

/**
 * Returns a renderer of the templates in these folders. It escapes every value, and omits characters that reverse the text around them: names
 * and purposes may contain them.
 */
export function templates(folders: readonly string[]): Render {
  const options = { autoescape: true, trimBlocks: true, lstripBlocks: true };
  const environment = new Environment(new FileSystemLoader([...folders]), options);
  return (view, context) => withoutBidiControls(environment.render(`${view}.njk`, context));
}
