import './cli-adapter.test.ts';
