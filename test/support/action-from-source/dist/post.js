import '../../../../src/action/post-entry.ts';
