/** Rules for oxlint that no option of its own rules can express. `oxlint.config.ts` says where they apply. */

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

/** The name of the property that is read from `node`, if it is written literally. */
function propertyRead(node) {
  const parent = node.parent;
  if (parent?.type !== 'MemberExpression' || parent.object !== node) return undefined;
  if (!parent.computed) return parent.property.name;
  return parent.property.type === 'Literal' ? String(parent.property.value) : undefined;
}

/** What of the time or of chance this use of a global reads, or undefined. */
function impureUse(identifier) {
  const property = propertyRead(identifier);
  if (identifier.name === 'Math') return property === 'random' ? 'Math.random' : undefined;
  if (identifier.name !== 'Date') return undefined;
  if (property === 'now') return 'Date.now';
  const { parent } = identifier;
  const isCalled = parent.callee === identifier && parent.arguments.length === 0;
  return isCalled ? `${parent.type === 'NewExpression' ? 'new ' : ''}Date() without arguments` : undefined;
}

const pureTime = {
  create(context) {
    return onGlobals(context, (identifier) => {
      const used = impureUse(identifier);
      if (used === undefined) return;
      context.report({ node: identifier, message: `A pure room may not use ${used}. Take it as an argument.` });
    });
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

export default {
  meta: { name: 'rooms' },
  rules: { 'pure-time': pureTime, 'no-module-mocks': noModuleMocks },
};
