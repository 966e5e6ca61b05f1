/**
 * The Python program that runs a snippet. It reads the snippet, its input and a mark as JSON, and writes the mark and
 * the value of the last expression behind everything that was printed.
 */
export const PYTHON_PROGRAM = `
import ast, json, sys, traceback
task = json.load(sys.stdin)
sys.stdin = open('/dev/null')
scope = {'__name__': '__main__', 'input': task['input']}
value = None
try:
    tree = ast.parse(task['code'], 'code.py')
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, 'code.py', 'exec'), scope)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), 'code.py', 'eval'), scope)
except SyntaxError as error:
    traceback.print_exception(type(error), error, None)
    sys.exit(1)
except Exception as error:
    traceback.print_exception(type(error), error, error.__traceback__.tb_next)
    sys.exit(1)
sys.stdout.flush()
sys.stdout.write(task['mark'] + json.dumps(value, default=repr))
`;
