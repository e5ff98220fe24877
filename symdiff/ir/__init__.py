"""The intermediate representation: types, graphs, structure, control flow and how they are built."""
