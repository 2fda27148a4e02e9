"""A pipeline of three components that do next to nothing, and fail on request."""

# No `from __future__ import annotations`: TFX reads these annotations.

from tfx import v1 as tfx
from tfx.v1.dsl.components import InputArtifact, OutputArtifact, Parameter
from tfx.v1.types.standard_artifacts import Examples, Model


@tfx.dsl.components.component
def Make(examples: OutputArtifact[Examples], text: Parameter[str], fault: Parameter[str]):
    """Writes a text; `fault` names a file whose own text says how to fail."""
    import os
    import signal
    from pathlib import Path

    from tfx_anonymizer import errors

    Path(examples.uri, "text").write_text(text)
    examples.set_int_custom_property("go", int(text != "stop"))
    if Path(fault).is_file():
        how = Path(fault).read_text()
        if how == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        raise getattr(errors, how, RuntimeError)("as asked")


@tfx.dsl.components.component
def Use(examples: InputArtifact[Examples], model: OutputArtifact[Model]):
    """Passes the text on."""
    from pathlib import Path

    Path(model.uri, "text").write_text(Path(examples.uri, "text").read_text())


def create_pipeline(root, text="hello", fault="none", gate=False, importer=None):
    """Builds Make ─► Use, behind a Cond if `gate`, and an Importer of a folder if `importer` names one."""
    make = Make(text=text, fault=fault)
    components = [make]
    if gate:
        with tfx.dsl.Cond(make.outputs["examples"].future()[0].custom_property("go") == 1):
            components.append(Use(examples=make.outputs["examples"]))
    else:
        components.append(Use(examples=make.outputs["examples"]))
    if importer:
        imported = tfx.dsl.Importer(source_uri=importer, artifact_type=Examples, reimport=True).with_id("Import")
        components += [imported, Use(examples=imported.outputs["result"]).with_id("UseImported")]
    return tfx.dsl.Pipeline(
        pipeline_name="tiny",
        pipeline_root=root,
        components=components,
        metadata_connection_config=tfx.orchestration.metadata.sqlite_metadata_connection_config(f"{root}/metadata.db"),
    )


def not_a_pipeline():
    """Returns something else."""
    return 3


not_a_function = 3
