import './custom-tool.test.ts';
