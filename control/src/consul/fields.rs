//! Reading the fields of a JSON object, with errors that say which.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::error::{FieldError, Problem};

pub(super) type Object = Map<String, Value>;

pub(super) fn object(value: &Value) -> Result<&Object, FieldError> {
    value.as_object().ok_or_else(|| wrong("", "an object", value))
}

pub(super) fn text<'a>(object: &'a Object, key: &str) -> Result<&'a str, FieldError> {
    let value = required(object, key)?;
    value.as_str().ok_or_else(|| wrong(key, "a string", value))
}

pub(super) fn number(object: &Object, key: &str, most: u64) -> Result<u64, FieldError> {
    let value = required(object, key)?;
    let Value::Number(number) = value else { return Err(wrong(key, "a number", value)) };
    let fits = number.as_u64().filter(|number| *number <= most);
    fits.ok_or_else(|| FieldError::at(key, Problem::OutOfRange { value: number.to_string(), most }))
}

/// An object that must be there.
pub(super) fn inner<'a>(outer: &'a Object, key: &str) -> Result<&'a Object, FieldError> {
    object(required(outer, key)?).map_err(|error| error.within(key))
}

/// An object that may be missing, or null: Consul is written in Go, where an empty map is.
pub(super) fn inner_or_none<'a>(outer: &'a Object, key: &str) -> Result<Option<&'a Object>, FieldError> {
    optional(outer, key).map(object).transpose().map_err(|error| error.within(key))
}

/// The elements of an array. An empty one may be null.
pub(super) fn list<'a>(outer: &'a Object, key: &str) -> Result<&'a [Value], FieldError> {
    match outer.get(key) {
        None => Err(FieldError::at(key, Problem::Missing)),
        Some(Value::Null) => Ok(&[]),
        Some(value) => value.as_array().map(Vec::as_slice).ok_or_else(|| wrong(key, "an array", value)),
    }
}

/// An array of strings that may be missing or null.
pub(super) fn texts(outer: &Object, key: &str) -> Result<Vec<String>, FieldError> {
    let Some(value) = optional(outer, key) else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or_else(|| wrong(key, "an array", value))?;
    let texts = list.iter().enumerate().map(|(at, value)| match value {
        Value::String(text) => Ok(text.clone()),
        _ => Err(wrong(&format!("{key}[{at}]"), "a string", value)),
    });
    texts.collect()
}

/// An object of strings that may be missing or null.
pub(super) fn text_map(outer: &Object, key: &str) -> Result<BTreeMap<String, String>, FieldError> {
    let Some(object) = inner_or_none(outer, key)? else { return Ok(BTreeMap::new()) };
    let entries = object.iter().map(|(name, value)| match value {
        Value::String(text) => Ok((name.clone(), text.clone())),
        _ => Err(wrong(&format!("{key}[{name:?}]"), "a string", value)),
    });
    entries.collect()
}

fn required<'a>(object: &'a Object, key: &str) -> Result<&'a Value, FieldError> {
    object.get(key).ok_or_else(|| FieldError::at(key, Problem::Missing))
}

fn optional<'a>(object: &'a Object, key: &str) -> Option<&'a Value> {
    object.get(key).filter(|value| !value.is_null())
}

pub(super) fn wrong(path: &str, expected: &'static str, value: &Value) -> FieldError {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    FieldError::at(path, Problem::WrongType { expected, found })
}
