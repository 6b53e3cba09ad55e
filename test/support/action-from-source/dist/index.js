import '../../../../src/action/index.ts';
