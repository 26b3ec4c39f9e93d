const { dirname, posix, relative, sep } = require('node:path');
const TABLE = require('./import-boundaries.json');

/** Returns the row of the table that applies to a file (path from the root, with `/`): the first whose `files` matches. */
function boundaryOf(path) {
  for (const { name, files, mayImport: allowed } of TABLE) {
    const match = new RegExp(files).exec(path);
    if (match) return { name, allowed: new RegExp(allowed.replaceAll('$1', match[1] ?? '$1')) };
  }
  return undefined;
}

/** Returns whether a file may import a module of the repository (path from the root, without suffix). */
function mayImport(path, imported) {
  return boundaryOf(path)?.allowed.test(imported) ?? true;
}

/** Reports imports that `import-boundaries.json` does not allow, type imports included: a plugin of oxlint. */
const rule = {
  create(context) {
    const path = relative(context.cwd, context.filename).split(sep).join('/');
    const check = (node, specifier) => {
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const imported = posix.normalize(posix.join(dirname(path), specifier));
      if (mayImport(path, imported)) return;
      context.report({ node, message: `${boundaryOf(path).name} may not import ${imported}` });
    };
    const ofSource = (node) => check(node, node.source?.value);
    return {
      ImportDeclaration: ofSource,
      ExportNamedDeclaration: ofSource,
      ExportAllDeclaration: ofSource,
      ImportExpression: ofSource,
      TSImportType: (node) => check(node, node.source?.value ?? node.argument?.value ?? node.argument?.literal?.value),
    };
  },
};

module.exports = { meta: { name: 'boundaries' }, rules: { imports: rule }, boundaryOf, mayImport };
