/** A rule for oxlint that none of its own rules can express. `oxlint.config.ts` says where it applies. */

const noClock = {
  create(context) {
    const check = (node) => {
      if (node.callee.name === 'Date' && node.arguments.length === 0)
        context.report({ node, message: 'A pure room may not read the clock. Take the time as an argument.' });
    };
    return { NewExpression: check, CallExpression: check };
  },
};

export default { meta: { name: 'rooms' }, rules: { 'no-clock': noClock } };
