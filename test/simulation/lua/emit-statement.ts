import type { Expression, Statement } from 'luaparse';
import {
  emit,
  emitCall,
  emitCondition,
  emitList,
  isOpenCall,
  UnsupportedLuaError,
  type ExpressionDeps,
} from './emit-expression.js';
import { LuaScope } from './lua-scope.js';

type Of<T extends Statement['type']> = Extract<Statement, { type: T }>;

/** Writes one function, or the script as a whole, in JavaScript. */
export class FunctionEmitter {
  readonly #temporaries: string[] = [];

  constructor(
    private readonly scope: LuaScope,
    /** The functions of the library that the script uses, by the names that they have in it. */
    private readonly used: Map<string, string>,
  ) {}

  body(statements: readonly Statement[]): string {
    const lines = this.#block(statements, this.scope);
    const declared = this.#temporaries.length > 0 ? `let ${this.#temporaries.join(', ')};\n` : '';
    return declared + lines;
  }

  #deps(scope: LuaScope): ExpressionDeps {
    return {
      scope,
      temporary: () => {
        const name = scope.fresh('t');
        this.#temporaries.push(name);
        return name;
      },
      library: (name) => {
        const own = this.used.get(name) ?? scope.fresh('lib');
        this.used.set(name, own);
        return own;
      },
      functionOf: (declaration) => this.#function(declaration, scope),
    };
  }

  #function({ parameters, body }: Expression & { type: 'FunctionDeclaration' }, around: LuaScope): string {
    const scope = around.inner();
    const names = parameters.map((one) => {
      if (one.type !== 'Identifier') throw new UnsupportedLuaError('a function of any number of arguments');
      return scope.declare(one.name);
    });
    return `(${names.join(', ')}) => {\n${new FunctionEmitter(scope, this.used).body(body)}}`;
  }

  #block(statements: readonly Statement[], scope: LuaScope): string {
    return statements.map((one) => `${this.#statement(one, scope)}\n`).join('');
  }

  #statement(node: Statement, scope: LuaScope): string {
    const deps = this.#deps(scope);
    switch (node.type) {
      case 'LocalStatement':
        return this.#local(node, scope);
      case 'AssignmentStatement':
        return this.#assignment(node, scope);
      case 'CallStatement':
        if (node.expression.type !== 'CallExpression') throw new UnsupportedLuaError(node.expression.type);
        return `${emitCall(node.expression, deps)};`;
      case 'FunctionDeclaration': {
        const { identifier, isLocal } = node;
        if (!isLocal || identifier?.type !== 'Identifier') throw new UnsupportedLuaError('a global function');
        const name = scope.declare(identifier.name);
        return `let ${name}; ${name} = ${this.#function(node, scope)};`;
      }
      case 'ReturnStatement':
        return this.#return(node, scope);
      case 'IfStatement':
        return this.#if(node, scope);
      case 'WhileStatement':
        return `while (${emitCondition(node.condition, deps)}) {\n${this.#block(node.body, scope.inner())}}`;
      case 'RepeatStatement': {
        // The condition sees the locals of the body.
        const inner = scope.inner();
        const body = this.#block(node.body, inner);
        return `for (;;) {\n${body}if (${emitCondition(node.condition, this.#deps(inner))}) break;\n}`;
      }
      case 'ForNumericStatement':
        return this.#count(node, scope);
      case 'ForGenericStatement':
        return this.#each(node, scope);
      case 'BreakStatement':
        return 'break;';
      default:
        throw new UnsupportedLuaError(node.type);
    }
  }

  #local({ variables, init }: Of<'LocalStatement'>, scope: LuaScope): string {
    const deps = this.#deps(scope);
    const [variable] = variables;
    if (variables.length === 1 && init.length <= 1) {
      const value = init[0] === undefined ? 'undefined' : emit(init[0], deps);
      return `let ${scope.declare(variable!.name)} = ${value};`;
    }
    const values = `[${emitList(init, deps)}]`;
    return `let [${variables.map(({ name }) => scope.declare(name)).join(', ')}] = ${values};`;
  }

  #assignment({ variables, init }: Of<'AssignmentStatement'>, scope: LuaScope): string {
    const deps = this.#deps(scope);
    if (variables.length === 1 && init.length === 1)
      return this.#store(variables[0]!, emit(init[0]!, deps), scope);
    const values = scope.fresh('values');
    const stores = variables.map((variable, at) => this.#store(variable, `${values}[${at}]`, scope));
    return `{ const ${values} = [${emitList(init, deps)}]; ${stores.join(' ')} }`;
  }

  #store(target: Of<'AssignmentStatement'>['variables'][number], value: string, scope: LuaScope): string {
    const deps = this.#deps(scope);
    if (target.type === 'IndexExpression')
      return `store(${emit(target.base, deps)}, ${emit(target.index, deps)}, ${value});`;
    if (target.type === 'MemberExpression')
      return `store(${emit(target.base, deps)}, ${JSON.stringify(target.identifier.name)}, ${value});`;
    const name = scope.find(target.name);
    if (name === undefined) throw new UnsupportedLuaError(`the global ${target.name}`);
    return `${name} = ${value};`;
  }

  #return({ arguments: given }: Of<'ReturnStatement'>, scope: LuaScope): string {
    const deps = this.#deps(scope);
    const [only] = given;
    if (only === undefined) return 'return undefined;';
    if (given.length > 1) return `return new Several([${emitList(given, deps)}]);`;
    return `return ${isOpenCall(only) ? emitCall(only, deps) : emit(only, deps)};`;
  }

  #if({ clauses }: Of<'IfStatement'>, scope: LuaScope): string {
    return clauses
      .map((clause) => {
        const body = this.#block(clause.body, scope.inner());
        if (clause.type === 'ElseClause') return `{\n${body}}`;
        return `if (${emitCondition(clause.condition, this.#deps(scope))}) {\n${body}}`;
      })
      .join(' else ');
  }

  #count({ variable, start, end, step, body }: Of<'ForNumericStatement'>, scope: LuaScope): string {
    const deps = this.#deps(scope);
    const [at, last, by] = [scope.fresh('at'), scope.fresh('last'), scope.fresh('by')];
    const head = `let ${at} = bound(${emit(start, deps)}), ${last} = bound(${emit(end, deps)}), ${by} = ${step === null ? '1' : `bound(${emit(step, deps)})`}`;
    const inner = scope.inner();
    const name = inner.declare(variable.name);
    const test = `${by} > 0 ? ${at} <= ${last} : ${at} >= ${last}`;
    return `for (${head}; ${test}; ${at} += ${by}) {\nlet ${name} = ${at};\n${this.#block(body, inner)}}`;
  }

  #each({ variables, iterators, body }: Of<'ForGenericStatement'>, scope: LuaScope): string {
    const [iterator] = iterators;
    const isPlain =
      iterators.length === 1 &&
      iterator?.type === 'CallExpression' &&
      iterator.base.type === 'Identifier' &&
      iterator.base.name === 'ipairs' &&
      scope.find('ipairs') === undefined;
    if (!isPlain) throw new UnsupportedLuaError('a loop over anything but ipairs()');
    const table = scope.fresh('table');
    const inner = scope.inner();
    const [place, value = place] = variables.map(({ name }) => inner.declare(name)) as [string, string?];
    const head = `let ${place} = 1, ${value}; (${value} = index(${table}, ${place})) !== undefined; ${place} += 1`;
    const each = `for (${head}) {\n${this.#block(body, inner)}}`;
    return `{ const ${table} = ${emit(iterator.arguments[0]!, this.#deps(scope))};\n${each} }`;
  }
}
