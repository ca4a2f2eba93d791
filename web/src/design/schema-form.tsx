import { type ReactElement, useState } from 'react';
import type { ErrorDetail } from '../api/client.ts';
import { Button, IconButton } from './button.tsx';
import { Checkbox, Select, TextArea, TextField } from './field.tsx';
import { defaultOf, type JsonSchema, kindOf, labelOf, resolveSchema } from './json-schema.ts';
import { MapField } from './map-field.tsx';

type Values = Record<string, unknown>;

/**
 * The fields that a JSON Schema asks for. The service checks what is sent; `errors` are its complaints, shown at the fields that their
 * paths name (after `errorPrefix`).
 */
export function SchemaForm({
  schema,
  value,
  onChange,
  errors = [],
  errorPrefix = '',
}: {
  schema: JsonSchema;
  value: Values;
  onChange: (value: Values) => void;
  errors?: readonly ErrorDetail[];
  errorPrefix?: string;
}) {
  return (
    <ObjectFields
      schema={resolveSchema(schema, schema)}
      value={value}
      onChange={onChange}
      path={errorPrefix}
      context={{ root: schema, errors }}
    />
  );
}

type Context = { root: JsonSchema; errors: readonly ErrorDetail[] };
type FieldProps<Value = unknown> = {
  schema: JsonSchema;
  label: string;
  value: Value;
  onChange: (value: unknown) => void;
  path: string;
  isRequired: boolean;
  context: Context;
};

function ObjectFields({
  schema,
  value,
  onChange,
  path,
  context,
}: {
  schema: JsonSchema;
  value: Values;
  onChange: (value: Values) => void;
  path: string;
  context: Context;
}) {
  const entries = Object.entries(schema.properties ?? {});
  return (
    <div className="stack">
      {entries.length === 0 && <p className="muted">There is nothing to fill in.</p>}
      {entries.map(([key, part]) => {
        const resolved = resolveSchema(part, context.root);
        return (
          <SchemaField
            key={key}
            schema={resolved}
            label={labelOf(key, resolved)}
            value={value[key]}
            onChange={(next) => onChange(replaced(value, key, next))}
            path={path === '' ? key : `${path}.${key}`}
            isRequired={schema.required?.includes(key) ?? false}
            context={context}
          />
        );
      })}
    </div>
  );
}

function SchemaField(props: FieldProps): ReactElement {
  const { schema, label, value, onChange, path, isRequired, context } = props;
  const common = {
    label: isRequired ? label : `${label} (optional)`,
    hint: schema.description,
    error: context.errors.find((one) => one.path === path)?.message,
    required: isRequired,
  };
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const change = (next: string, convert: (text: string) => unknown = String): void =>
    onChange(next === '' && !isRequired ? undefined : convert(next));
  const kind = kindOf(schema);
  switch (kind) {
    case 'text':
      return <TextField {...common} type={inputType(schema)} value={text} onValue={change} />;
    case 'secret':
      return <TextField {...common} type="password" autoComplete="new-password" value={text} onValue={change} />;
    case 'long-text':
      return <TextArea {...common} value={text} onValue={change} />;
    case 'number':
    case 'integer':
      return (
        <TextField
          {...common}
          type="number"
          step={kind === 'integer' ? 1 : 'any'}
          min={schema.minimum}
          max={schema.maximum}
          value={text}
          onValue={(next) => onChange(next === '' ? undefined : Number(next))}
        />
      );
    case 'boolean':
      return <Checkbox label={label} hint={schema.description} isChecked={value === true} onChecked={onChange} />;
    case 'choice': {
      const choices = schema.enum ?? [];
      return (
        <Select
          {...common}
          value={text}
          options={[...(isRequired && text !== '' ? [] : [['', '–'] as const]), ...choices.map(String)]}
          onValue={(next) => onChange(choices.find((choice) => String(choice) === next))}
        />
      );
    }
    case 'number-or-text':
      return <TextField {...common} value={text} onValue={(next) => change(next, toNumberOrText)} />;
    case 'map':
      return (
        <MapField
          label={common.label}
          hint={schema.description}
          value={isObject(value) ? (value as Record<string, string>) : {}} // the schema says that they are texts
          onChange={onChange}
          errors={context.errors}
          path={path}
        />
      );
    case 'list':
      return <ListField {...props} value={Array.isArray(value) ? value : []} />;
    case 'object':
      return (
        <fieldset className="fieldset">
          <legend>{common.label}</legend>
          {schema.description && <p className="field-hint">{schema.description}</p>}
          <ObjectFields schema={schema} value={isObject(value) ? value : {}} {...{ onChange, path, context }} />
        </fieldset>
      );
    case 'json':
      return <JsonField {...props} />;
  }
}

function ListField({ schema, label, value, onChange, path, isRequired, context }: FieldProps<unknown[]>) {
  const items = resolveSchema(schema.items ?? {}, context.root);
  const error = context.errors.find((one) => one.path === path)?.message;
  return (
    <fieldset className="fieldset">
      <legend>{isRequired ? label : `${label} (optional)`}</legend>
      {schema.description && <p className="field-hint">{schema.description}</p>}
      {value.map((item, index) => (
        // Items have no name but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div className="list-item" key={index}>
          <SchemaField
            schema={items}
            label={`${label} ${index + 1}`}
            value={item}
            onChange={(next) => onChange(value.with(index, next ?? ''))}
            path={`${path}.${index}`}
            isRequired
            context={context}
          />
          <IconButton
            label={`Remove ${label.toLowerCase()} ${index + 1}`}
            icon="close"
            isSmall
            onClick={() => onChange(value.toSpliced(index, 1))}
          />
        </div>
      ))}
      {error && <p className="field-error">{error}</p>}
      <div>
        <Button
          isSmall
          icon="plus"
          onClick={() => onChange([...value, defaultOf(items, context.root) ?? emptyItem(items)])}
        >
          Add {label.toLowerCase()}
        </Button>
      </div>
    </fieldset>
  );
}

/** For shapes that no field fits. What is not JSON yet is kept here and not passed on. */
function JsonField({ schema, label, value, onChange, path, isRequired, context }: FieldProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const [fault, setFault] = useState<string>();
  const change = (next: string): void => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
      setFault(undefined);
    } catch (error) {
      setFault(error instanceof Error ? `Not JSON yet: ${error.message}` : 'Not JSON yet');
    }
  };
  return (
    <TextArea
      label={`${label}, as JSON${isRequired ? '' : ' (optional)'}`}
      hint={schema.description}
      error={fault ?? context.errors.find((one) => one.path === path || one.path.startsWith(`${path}.`))?.message}
      value={text}
      onValue={change}
      spellCheck={false}
      style={{ fontFamily: 'var(--font-mono)' }}
    />
  );
}

function replaced(values: Values, key: string, next: unknown): Values {
  const { [key]: _, ...rest } = values;
  return next === undefined ? rest : { ...rest, [key]: next };
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number where it reads like one and says the same when it is written again; "1." is still being written. */
const toNumberOrText = (text: string): number | string =>
  text.trim() === text && String(Number(text)) === text ? Number(text) : text;

function inputType({ format }: JsonSchema): string {
  return format === 'email' || format === 'date' ? format : 'text';
}

function emptyItem(schema: JsonSchema): unknown {
  switch (kindOf(schema)) {
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'list':
      return [];
    case 'object':
    case 'map':
      return {};
    case 'number-or-text':
    case 'text':
    case 'long-text':
    case 'secret':
    case 'choice':
    case 'json':
      return '';
  }
}
