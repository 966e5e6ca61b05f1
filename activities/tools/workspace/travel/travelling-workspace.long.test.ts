import './travelling-workspace.test.ts';
