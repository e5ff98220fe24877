"""The intermediate representation: types, graphs, structure, control flow, building."""
