export { TOOL_CATEGORIES, type ToolCategory } from './category.ts';
