import './project-context.test.ts';
