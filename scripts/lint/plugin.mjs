import { isBuiltin } from 'node:module';
import { dirname, relative, resolve, sep } from 'node:path';
import { ENVIRONMENT_READERS, FOLDERS, IMPURE_GLOBALS, LAYERS, PURE_MODULES, PURE_ROOMS } from './layers.mjs';

/** Path of the linted file under src/, `/`-separated, or undefined for a file elsewhere. */
function pathInSource(context, file) {
  const path = relative(resolve(context.cwd, 'src'), file).split(sep).join('/');
  return path === '..' || path.startsWith('../') ? undefined : path;
}

/** `store/memory/x.ts` → `store`, `index.ts` → `index`. */
function roomOf(path) {
  const [first, ...rest] = path.split('/');
  return rest.length === 0 ? first.replace(/\.\w+$/, '') : first;
}

/**
 * Calls `visit(specifier, node, names)` for every kind of module reference. `names` is undefined if all of it is
 * imported.
 */
function onModules(visit) {
  const literal = (source, node, names) => {
    if (source?.type === 'Literal' && typeof source.value === 'string') visit(source.value, node, names);
  };
  const imported = (specifier) =>
    specifier.type === 'ImportSpecifier' ? (specifier.imported.name ?? specifier.imported.value) : undefined;
  return {
    ImportDeclaration(node) {
      const names = node.specifiers.map(imported);
      literal(node.source, node, names.includes(undefined) ? undefined : names);
    },
    ExportNamedDeclaration(node) {
      literal(
        node.source,
        node,
        node.specifiers.map((specifier) => specifier.local.name ?? specifier.local.value),
      );
    },
    ExportAllDeclaration: (node) => literal(node.source, node),
    ImportExpression: (node) => literal(node.source, node),
    TSImportType: (node) => literal(node.source, node),
    TSExternalModuleReference: (node) => literal(node.expression, node),
    CallExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'require') literal(node.arguments[0], node);
    },
  };
}

/** Calls `visit(identifier)` for every use of a global, not of a local variable of that name. */
function onGlobals(context, visit) {
  return {
    'Program:exit'() {
      const scope = context.sourceCode.scopeManager.globalScope;
      const references = [...scope.through];
      for (const variable of scope.variables) if (variable.defs.length === 0) references.push(...variable.references);
      for (const { identifier } of new Set(references)) visit(identifier);
    },
  };
}

/** The name of the property that is read from `node`, if `node.name` or `node['name']` is written literally. */
function propertyRead(node) {
  const parent = node.parent;
  if (parent?.type !== 'MemberExpression' || parent.object !== node) return undefined;
  if (!parent.computed) return parent.property.name;
  return parent.property.type === 'Literal' ? String(parent.property.value) : undefined;
}

/** Whether the linted source names a type here, which does not exist at run time. */
function isTypePosition(node) {
  return (
    node.parent?.type.startsWith('TS') === true && !/^TS(?:As|NonNull|Satisfies|TypeAssertion)/.test(node.parent.type)
  );
}

/**
 * Why a file of a room may not import another of the same room, by the order of their folders, or undefined if it may.
 */
function againstOrder(from, to) {
  for (const [parent, order] of Object.entries(FOLDERS)) {
    if (!from.startsWith(`${parent}/`) || !to.startsWith(`${parent}/`)) continue;
    const [own, other] = [from, to].map((path) => path.slice(parent.length + 1).split('/')[0]);
    if (!order.includes(own) || order.indexOf(other) <= order.indexOf(own)) continue;
    const before = order.slice(0, order.indexOf(own)).map((name) => `${parent}/${name}`);
    return `'${parent}/${own}' may not import '${to}'. It may import of this room: ${before.join(', ') || 'nothing'}.`;
  }
  return undefined;
}

const layers = {
  create(context) {
    const path = pathInSource(context, context.filename);
    if (path === undefined) return {};
    const room = roomOf(path);
    const allowed = LAYERS[room];
    if (allowed === undefined) {
      const message = `No rule says what the room '${room}' may import: add it to scripts/lint/layers.mjs.`;
      return { Program: (node) => context.report({ node, message }) };
    }
    return onModules((specifier, node) => {
      if (specifier === 'gateline' || specifier.startsWith('#'))
        return context.report({ node, message: `Import '${specifier}' by its relative path.` });
      if (!/^\.{0,2}\//.test(specifier)) return undefined;
      const target = pathInSource(context, resolve(dirname(context.filename), specifier));
      if (target === undefined) return context.report({ node, message: `'${specifier}' is outside src/.` });
      const targetRoom = roomOf(target);
      if (targetRoom === room) {
        const against = againstOrder(path, target);
        return against && context.report({ node, message: against });
      }
      if (allowed.includes(targetRoom)) return undefined;
      if (allowed.includes(target.replace(/\.\w+$/, ''))) return undefined;
      const message = `'${room}' may not import '${target}'. It may import: ${allowed.join(', ') || 'nothing'}.`;
      return context.report({ node, message });
    });
  },
};

const pureImports = {
  create(context) {
    const path = pathInSource(context, context.filename);
    if (path === undefined || !PURE_ROOMS.includes(roomOf(path))) return {};
    const room = roomOf(path);
    return onModules((specifier, node, names) => {
      if (!isBuiltin(specifier)) return;
      const pure = PURE_MODULES[specifier.replace(/^node:/, '')];
      const takesTooMuch =
        pure?.names !== undefined && !(names ?? [undefined]).every((name) => pure.names.includes(name));
      if (pure !== undefined && !takesTooMuch && (pure.rooms ?? [room]).includes(room)) return;
      const what = takesTooMuch ? `more than { ${pure.names.join(', ')} } of '${specifier}'` : `'${specifier}'`;
      const message = `'${room}' is pure: it may not import ${what}. Take what you need as an argument.`;
      context.report({ node, message });
    });
  },
};

/** Why this use of `Date` or `Math` is not pure, or undefined if it is. */
function impureUse(identifier) {
  const property = propertyRead(identifier);
  if (identifier.name === 'Math') return property === undefined || property === 'random' ? 'Math.random' : undefined;
  if (property !== undefined) return ['parse', 'UTC', 'prototype'].includes(property) ? undefined : `Date.${property}`;
  const { parent } = identifier;
  if (parent.type === 'NewExpression' && parent.callee === identifier)
    return parent.arguments.length === 0 ? 'new Date() without arguments' : undefined;
  if (parent.type === 'BinaryExpression' && parent.operator === 'instanceof') return undefined;
  return 'Date';
}

const pureGlobals = {
  create(context) {
    const path = pathInSource(context, context.filename);
    if (path === undefined || !PURE_ROOMS.includes(roomOf(path))) return {};
    return onGlobals(context, (identifier) => {
      const { name } = identifier;
      if (isTypePosition(identifier)) return;
      const used = name === 'Date' || name === 'Math' ? impureUse(identifier) : name;
      if (used === undefined || (used === name && name !== 'Date' && !IMPURE_GLOBALS.has(name))) return;
      const message = `'${roomOf(path)}' is pure: it may not use ${used}. Take it as an argument.`;
      context.report({ node: identifier, message });
    });
  },
};

const environment = {
  create(context) {
    const path = pathInSource(context, context.filename);
    if (path === undefined || ENVIRONMENT_READERS.some((pattern) => pattern.test(path))) return {};
    const message =
      'Only the ways in read the environment of the process. Take it as an argument (src/environment.ts).';
    const isProcessModule = (specifier) => specifier === 'process' || specifier === 'node:process';
    return {
      ...onModules((specifier, node, names) => {
        if (isProcessModule(specifier) && names?.includes('env')) context.report({ node, message });
      }),
      MemberExpression(node) {
        const inner = node.object.type === 'Identifier' ? node.object : undefined;
        const outer = node.object.type === 'MemberExpression' ? propertyRead(node.object.object) : undefined;
        const isProcess = inner?.name === 'process' || outer === 'process';
        if (isProcess && propertyRead(node.object) === 'env') context.report({ node, message });
      },
      VariableDeclarator(node) {
        if (node.init?.type !== 'Identifier' || node.init.name !== 'process' || node.id.type !== 'ObjectPattern')
          return;
        if (node.id.properties.some((property) => property.key?.name === 'env')) context.report({ node, message });
      },
    };
  },
};

const REPLACING = new Set(['mock', 'doMock', 'unmock', 'doUnmock', 'hoisted', 'importActual', 'importMock']);

const noModuleMocks = {
  create(context) {
    return {
      MemberExpression(node) {
        if (node.object.type !== 'Identifier' || !['vi', 'vitest', 'jest'].includes(node.object.name)) return;
        const name = propertyRead(node.object);
        if (name === undefined || !REPLACING.has(name)) return;
        const message = `No ${node.object.name}.${name}: hand the code another implementation of its interface.`;
        context.report({ node, message });
      },
    };
  },
};

/** This project's own rules for oxlint. */
export default {
  meta: { name: 'gateline' },
  rules: {
    layers,
    'pure-imports': pureImports,
    'pure-globals': pureGlobals,
    environment,
    'no-module-mocks': noModuleMocks,
  },
};
