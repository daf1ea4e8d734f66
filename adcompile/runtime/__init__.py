"""What generated code may import: numpy and these helpers, nothing else of the compiler.

A helper is imported when somebody asks for it: a derivative needs some ten of them, and to import all of them takes
milliseconds, which count where derivatives of another process are loaded.
"""

# pyright: reportUnusedImport=false

import importlib
from typing import TYPE_CHECKING, Any

from adcompile.runtime import heap
from adcompile.runtime.shadows import shadows  # at once: it has the name of its module

if TYPE_CHECKING:
    from adcompile.runtime.adjoints import (
        along,
        along_axis,
        as_complex,
        as_found,
        axes_from,
        axes_in_front,
        axes_to_end,
        axes_without,
        check_slopes,
        convolution_margins,
        convolution_rims,
        correlation_mode,
        cuts,
        diagonal_index,
        diagonal_mask,
        diagonal_place,
        direction,
        directions,
        einsum_adjoint,
        einsum_bar,
        einsum_fillers,
        even_axes,
        fft_axes,
        fft_dual,
        fit,
        grid,
        half_weights,
        insertion_places,
        interior,
        interior_mask,
        interleaved_spec,
        inverse_axes,
        inverse_rollaxis,
        is_listed,
        is_static,
        kron_shape,
        memory_axes,
        mesh_axes,
        negated,
        no_derivative,
        odd_axes,
        padded_index,
        parts_to_num,
        positions,
        reads_columns,
        repeated_shape,
        row_order,
        shape_along,
        size_of,
        tensordot_axes,
        tiled_shape,
        unjoin,
        with_axes,
        with_length,
        wrapped,
    )
    from adcompile.runtime.alone import added, check_alone, divided, multiplied, subtracted
    from adcompile.runtime.arrays import (
        accumulate,
        add,
        add_item,
        broadcast_like,
        contract,
        copy,
        expand,
        gather,
        in_order,
        is_basic,
        is_smaller,
        like,
        list_or_none,
        number,
        operand,
        own,
        places,
        replaced,
        scatter,
        scatter_list,
        selected_product,
        sum_over,
        unbroadcast,
        unit,
        zero_list,
        zeros_like,
    )
    from adcompile.runtime.batches import (
        add_each_at,
        as_batch,
        batch_count,
        batch_width,
        broadcast_each,
        followed_each,
        item_each,
        joined,
        like_each,
        mirrored_each,
        own_each,
        repeated,
        reshape_each,
        row,
        scatter_each,
        shadows_each,
        stacked,
        store_each,
        tangent_zeros,
        unbroadcast_each,
        units,
    )
    from adcompile.runtime.calls import called, fitted, name_of, partial, pulled, pushed, pushed_along
    from adcompile.runtime.checkpoints import (
        checkpointed,
        kept_replicas,
        replicas_of,
        run_back,
        run_budgeted,
        run_checkpointed,
    )
    from adcompile.runtime.cosines import dct_ends, dst_ends, transposed_kind
    from adcompile.runtime.debug import (
        alias_map,
        check_apart,
        check_cotangent,
        check_kept,
        check_partial,
        check_shadow,
        check_tangent_of,
    )
    from adcompile.runtime.detaching import detached, replica, replicas
    from adcompile.runtime.dynamic import (
        Back,
        Forth,
        dots_of,
        held_bar,
        jvp_of,
        pull,
        pull_jvp,
        pull_split,
        pull_vjp,
        pulled_by,
        pushed_by,
        vjp_of,
        vjp_of_held,
    )
    from adcompile.runtime.implicit import (
        Optimum,
        Root,
        Trajectory,
        arrayed,
        beside,
        capturing,
        inside,
        limits,
        shaped,
        slope,
        solution,
        solve,
        vector,
    )
    from adcompile.runtime.integrals import integral, integrated, pull_captured, push_captured
    from adcompile.runtime.matrices import cofactors, cofactors_bar, inverse, is_regular
    from adcompile.runtime.memory import (
        add_at,
        add_each,
        apart,
        arrays_in,
        check_tangent,
        diagonal_of,
        followed,
        hand_over,
        hold,
        is_writable,
        last_writes,
        mirrored,
        occurrences,
        outline,
        product_outline,
        put_each,
        released,
        same_layout,
        shadow,
        shares,
        snapshot,
        unless_shared,
        within,
    )
    from adcompile.runtime.objects import build_object
    from adcompile.runtime.overlap import check_elements, check_masked, check_parts, check_some, check_unreached
    from adcompile.runtime.plain import (
        check_answer,
        check_array,
        check_bound,
        check_cached,
        check_filled,
        check_joined,
        check_numbers,
        check_plain,
        check_real,
        from_cache,
        seed,
    )
    from adcompile.runtime.special import LOG_2, LOG_10, ROOT_2PI, ROOT_PI, power, quotient, total, valued
    from adcompile.runtime.state import (
        Taken,
        different,
        distinct,
        ends_among_first,
        held_by,
        holds_no_memory_of,
        holds_none,
        none_of,
        one_length,
        put_back,
        refill,
        set_own,
        take_down,
        take_down_arrays,
        unset,
        unshared,
    )
    from adcompile.runtime.trajectories import followed_path, jacobian_along, path, push_along, rows

heap.widen()  # once, in front of all derivatives

_HOME = {
    name: module
    for module, names in {
        "adjoints": """
            along along_axis as_complex as_found axes_from axes_in_front axes_to_end axes_without
            check_slopes convolution_margins convolution_rims correlation_mode cuts diagonal_index
            diagonal_mask diagonal_place direction directions einsum_adjoint einsum_bar einsum_fillers
            even_axes fft_axes fft_dual fit grid half_weights insertion_places interior interior_mask
            interleaved_spec inverse_axes inverse_rollaxis is_listed is_static kron_shape memory_axes
            mesh_axes negated no_derivative odd_axes padded_index parts_to_num positions reads_columns
            repeated_shape row_order shape_along size_of tensordot_axes tiled_shape unjoin with_axes
            with_length wrapped
        """,
        "alone": "added check_alone divided multiplied subtracted",
        "arrays": """
            accumulate add add_item broadcast_like contract copy expand gather in_order is_basic is_smaller
            like list_or_none number operand own places replaced scatter scatter_list selected_product
            sum_over unbroadcast unit zero_list zeros_like
        """,
        "batches": """
            add_each_at as_batch batch_count batch_width broadcast_each followed_each item_each joined
            like_each mirrored_each own_each repeated reshape_each row scatter_each shadows_each stacked
            store_each tangent_zeros unbroadcast_each units
        """,
        "calls": "called fitted name_of partial pulled pushed pushed_along",
        "checkpoints": "checkpointed kept_replicas replicas_of run_back run_budgeted run_checkpointed",
        "cosines": "dct_ends dst_ends transposed_kind",
        "debug": "alias_map check_apart check_cotangent check_kept check_partial check_shadow check_tangent_of",
        "detaching": "detached replica replicas",
        "dynamic": """
            Back dots_of Forth held_bar jvp_of pull pull_jvp pull_split pull_vjp pulled_by pushed_by vjp_of
            vjp_of_held
        """,
        "implicit": """
            arrayed beside capturing inside limits Optimum Root shaped slope solution solve Trajectory
            vector
        """,
        "integrals": "integral integrated pull_captured push_captured",
        "matrices": "cofactors cofactors_bar inverse is_regular",
        "memory": """
            add_at add_each apart arrays_in check_tangent diagonal_of followed hand_over hold is_writable
            last_writes mirrored occurrences outline product_outline put_each released same_layout shadow
            shares snapshot unless_shared within
        """,
        "objects": "build_object",
        "overlap": "check_elements check_masked check_parts check_some check_unreached",
        "plain": """
            check_answer check_array check_bound check_cached check_filled check_joined check_numbers
            check_plain check_real from_cache seed
        """,
        "special": "LOG_10 LOG_2 power quotient ROOT_2PI ROOT_PI total valued",
        "state": """
            different distinct ends_among_first held_by holds_no_memory_of holds_none none_of
            one_length put_back refill set_own take_down take_down_arrays Taken unset unshared
        """,
        "trajectories": "followed_path jacobian_along path push_along rows",
    }.items()
    for name in names.split()
}
"""Where each helper is."""


def __getattr__(name: str) -> Any:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
